"""OpenStack Swift with its S3 API in one process, with ordinary files in one folder.

Arguments: the folder, the port of the proxy, the access key and the secret key.
"""

import os
import sys
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
    app = wsgi.loadapp(conf, global_conf={'log_name': os.path.basename(conf)})
    eventlet.spawn(
        eventlet.wsgi.server, sock, app, utils.NullLogger(),
        protocol=wsgi.SwiftHttpProtocol, capitalize_response_headers=False, socket_timeout=60)

print('ready', file=sys.stderr, flush=True)
try:
    while True:
        eventlet.sleep(3600)
except KeyboardInterrupt:
    os._exit(0)
