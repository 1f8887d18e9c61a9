"""OpenStack Swift with its S3 API in one process, with ordinary files in one folder.

Arguments: the folder, the port of the proxy, the access key and the secret key.
"""

import os
import signal
import sys
import time
from array import array

import eventlet
import eventlet.wsgi

eventlet.monkey_patch()

from swift.common import utils, wsgi
from swift.common.ring import RingData

folder, proxy_port, access_key, secret_key = sys.argv[1:]


def write(name, text):
    path = os.path.join(folder, name)
    with open(path, 'w') as file:
        file.write(text)
    return path


class Cache:
    """The part of a memcached that the proxy needs."""

    def __init__(self):
        self.values = {}

    def get(self, key, **_options):
        value, end = self.values.get(key, (None, 0))
        return value if end == 0 or time.time() < end else None

    def set(self, key, value, time_=0, **options):
        seconds = options.get('time', time_)
        self.values[key] = (value, time.time() + seconds if seconds else 0)

    def delete(self, key, **_options):
        self.values.pop(key, None)


def with_cache(app):
    cache = Cache()

    def cached(env, start_response):
        env['swift.cache'] = cache
        return app(env, start_response)
    return cached


def listen(port=0):
    return eventlet.listen(('127.0.0.1', port), backlog=1024)


write('swift.conf', '''[swift-hash]
swift_hash_path_suffix = tests
[storage-policy:0]
name = one
default = yes
''')
utils.set_swift_dir(folder)
utils.disable_fallocate()
os.makedirs(os.path.join(folder, 'devices', 'disk'))

apps = []
for kind in ('account', 'container', 'object'):
    sock = listen()
    device = {'id': 0, 'zone': 0, 'weight': 1.0, 'device': 'disk', 'meta': '',
              'ip': '127.0.0.1', 'port': sock.getsockname()[1]}
    device.update(replication_ip=device['ip'], replication_port=device['port'])
    # One replica in four partitions, all of them on the only device.
    RingData([array('H', [0] * 4)], [device], 30).save(
        os.path.join(folder, kind + '.ring.gz'))
    conf = write(kind + '.conf', '''[DEFAULT]
swift_dir = %s
devices = %s/devices
mount_check = false
log_level = ERROR
log_address = %s/none
[pipeline:main]
pipeline = %s-server
[app:%s-server]
use = egg:swift#%s
''' % (folder, folder, folder, kind, kind, kind))
    apps.append((sock, conf))

sock = listen(int(proxy_port))
apps.append((sock, write('proxy.conf', '''[DEFAULT]
swift_dir = %s
log_level = ERROR
log_address = %s/none
[pipeline:main]
pipeline = catch_errors s3api tempauth slo dlo proxy-server
[app:proxy-server]
use = egg:swift#proxy
account_autocreate = true
[filter:catch_errors]
use = egg:swift#catch_errors
[filter:s3api]
use = egg:swift#s3api
s3_acl = false
check_bucket_owner = false
location = us-east-1
[filter:tempauth]
use = egg:swift#tempauth
user_%s = %s .admin
[filter:slo]
use = egg:swift#slo
[filter:dlo]
use = egg:swift#dlo
''' % (folder, folder, access_key.replace(':', '_'), secret_key))))

for sock, conf in apps:
    app = with_cache(wsgi.loadapp(conf, global_conf={'log_name': os.path.basename(conf)}))
    eventlet.spawn(
        eventlet.wsgi.server, sock, app, utils.NullLogger(),
        protocol=wsgi.SwiftHttpProtocol, capitalize_response_headers=False, socket_timeout=60)

# A shell starts background programs with this signal ignored.
signal.signal(signal.SIGINT, lambda *_: os._exit(0))
print('ready', file=sys.stderr, flush=True)
while True:
    eventlet.sleep(3600)
