/** The names in a text. */
function names(text: string): readonly string[] {
  return text.trim().split(/\s+/);
}

function forAll<Value>(text: string, value: Value): Readonly<Record<string, Value>> {
  return Object.fromEntries(names(text).map((name) => [name, value]));
}

/** Programs that run code from their arguments, from files or from their input. */
export const codeRunners: ReadonlySet<string> = new Set(
  names(
    `sh bash zsh dash ash ksh mksh fish csh tcsh busybox toybox python python2 python3 pypy pypy3 perl ruby node nodejs
    deno bun php lua luajit tclsh wish osascript pwsh powershell awk gawk mawk nawk eval exec source . expect gdb lldb
    script ed ex vi vim nvim view emacs xargs parallel watch at batch crontab npx pnpx bunx uvx pipx entr env R Rscript
    julia ghci runghc ocaml scala groovy guile racket sbcl erl elixir iex jshell java sqlite3 mysql psql m4 tmux screen
    make gmake`,
  ),
);

/** Those of them that change the files in their arguments. */
export const fileEditors: ReadonlySet<string> = new Set(
  names("perl ruby awk gawk mawk nawk ed ex vi vim nvim view emacs script sqlite3"),
);

/** Commands of git that run other programs, which their arguments name. */
export const gitRunners: ReadonlySet<string> = new Set(
  names("bisect rebase submodule filter-branch difftool mergetool for-each-repo hook send-email"),
);

/** The commands of git 2.50 that are neither aliases nor programs of their own. */
export const gitCommands: ReadonlySet<string> = new Set(
  names(
    `add am annotate apply archive backfill bisect blame branch bugreport bundle cat-file check-attr check-ignore
    check-mailmap check-ref-format checkout checkout-index cherry cherry-pick clean clone column commit commit-graph
    commit-tree config count-objects credential describe diagnose diff diff-files diff-index diff-tree difftool
    fast-export fast-import fetch fetch-pack filter-branch fmt-merge-msg for-each-ref for-each-repo format-patch fsck gc
    get-tar-commit-id grep hash-object help hook http-push index-pack init init-db interpret-trailers log ls-files
    ls-remote ls-tree mailinfo mailsplit maintenance merge merge-base merge-file merge-index merge-tree mergetool mktag
    mktree multi-pack-index mv name-rev notes pack-objects pack-redundant pack-refs patch-id prune prune-packed pull
    push range-diff read-tree rebase reflog refs remote repack replace replay request-pull rerere reset restore
    rev-list rev-parse revert rm send-email send-pack shortlog show show-branch show-index show-ref sparse-checkout
    stage stash status stripspace submodule switch symbolic-ref tag unpack-file unpack-objects update-index update-ref
    update-server-info var verify-commit verify-pack verify-tag version whatchanged worktree write-tree`,
  ),
);

/** Programs of high risk, whatever their arguments are, with the reason. */
export const dangerous: Readonly<Record<string, string>> = {
  ...forAll([...codeRunners].join(" "), "it runs code that it is given"),
  ...forAll(
    `export declare typeset local readonly set unset alias unalias hash enable trap shopt read mapfile readarray let
    getopts builtin command bind complete ulimit umask coproc fc history popd pushd dirs disown suspend times wait fg bg
    jobs logout return shift exit break continue`,
    "it changes the shell or its environment",
  ),
  ...forAll(
    "sudo su doas pkexec runuser chroot unshare nsenter setpriv capsh",
    "it acts as another user",
  ),
  ...forAll(
    `mount umount mkfs fdisk parted shutdown reboot halt poweroff init systemctl service sysctl modprobe insmod rmmod
    swapoff swapon iptables nft useradd userdel usermod groupadd passwd chpasswd visudo update-alternatives ldconfig
    losetup apt apt-get dpkg yum dnf apk pacman brew snap flatpak docker podman kubectl helm terraform kill killall pkill
    dd shred truncate wipefs`,
    "it changes the system",
  ),
  ...forAll(
    "7z 7za ar bsdtar cpio pax patch rsync unrar zstd",
    "the files that it writes are not in its arguments",
  ),
};

/**
 * Programs that build, test, format and inspect a project: they run what the project contains or configures, and their
 * risk is medium.
 */
export const projectPrograms: ReadonlySet<string> = new Set(
  names(
    `npm pnpm yarn corepack cargo rustc rustup go gofmt gcc g++ cc c++ clang clang++ clang-format clang-tidy cmake ctest
    ninja meson bazel buck mvn gradle ant javac kotlinc scalac sbt lein swift swiftc xcodebuild dotnet msbuild mix rebar3
    stack cabal ghc zig nim crystal dart flutter composer phpunit bundle bundler rake rspec rubocop gem rails pip pip3
    pipenv poetry uv tox nox pytest mypy pyright ruff black isort flake8 pylint bandit coverage alembic django-admin
    flask uvicorn gunicorn celery sphinx-build mkdocs tsc tsx ts-node eslint prettier biome oxlint stylelint jest vitest
    mocha ava cypress playwright karma nyc c8 webpack rollup vite esbuild swc parcel next nuxt astro svelte-kit remix ng
    vue nodemon pm2 turbo nx lerna changeset prisma drizzle-kit knex sequelize typeorm storybook husky lint-staged
    pre-commit commitlint shellcheck shfmt hadolint actionlint yamllint markdownlint jsonlint xmllint protoc buf sqlc
    hugo jekyll ctags cloc tokei scc hyperfine pandoc exiftool less more man top htop lsof ss netstat vmstat iostat
    dmesg lsblk free clear mktemp ansible-lint tflint golangci-lint staticcheck air k6 newman`,
  ),
);

/** Programs that connect to other hosts. */
export const networked: ReadonlySet<string> = new Set(
  names(
    `curl wget ssh scp sftp rsync ftp telnet nc ncat netcat socat nmap ping dig nslookup host aria2c http https gh aws
    gcloud az openssl gnutls-cli lftp lynx w3m links elinks`,
  ),
);

/** Words of `find` without a value that only select or print. */
export const findTests: ReadonlySet<string> = new Set(
  names(
    `-a -and -o -or -not ! ( ) , -print -print0 -prune -quit -ls -true -false -empty -readable -writable -executable
    -depth -mount -xdev -daystart -noleaf -follow -nouser -nogroup -ignore_readdir_race`,
  ),
);

/** Words of `find` with a value that only select or print. */
export const findValues: ReadonlySet<string> = new Set(
  names(
    `-name -iname -path -ipath -wholename -iwholename -regex -iregex -regextype -type -xtype -size -mtime -mmin -atime
    -amin -ctime -cmin -newer -anewer -cnewer -maxdepth -mindepth -perm -user -group -uid -gid -links -inum -samefile
    -lname -ilname -printf -used -fstype`,
  ),
);

/** Commands of git that change nothing by themselves. */
export const gitReads: ReadonlySet<string> = new Set(
  names(
    `status log diff show rev-parse ls-files blame describe shortlog ls-tree cat-file rev-list merge-base name-rev
    show-ref for-each-ref count-objects grep`,
  ),
);

/** Commands of git that connect to other hosts. */
export const gitNetwork: ReadonlySet<string> = new Set(
  names("clone fetch pull push ls-remote submodule archive send-email"),
);
