/** The options with which a program only reads. Another option makes the risk medium. */
export interface Reader {
  /** Letters of options without a value; `*`: no option of the program writes or runs anything. */
  readonly short?: string;
  /** Letters of options with a value. */
  readonly valued?: string;
  /** Long options, without the value behind `=`. */
  readonly long?: readonly string[];
  /** The operands: files that are read (the default), texts, or a pattern and then files. */
  readonly operands?: "files" | "texts" | "pattern";
}

/** The names in a text. */
function names(text: string): readonly string[] {
  return text.trim().split(/\s+/);
}

/** Long options in a text, without their dashes. */
function long(text: string): readonly string[] {
  return names(text).map((name) => `--${name}`);
}

function forAll<Value>(text: string, value: Value): Readonly<Record<string, Value>> {
  return Object.fromEntries(names(text).map((name) => [name, value]));
}

/** A program that reads texts, and has no option that does more. */
export const textReader: Reader = { short: "*", operands: "texts" };

/** Programs that only read, with their harmless options. */
export const readers: Readonly<Record<string, Reader>> = {
  ...forAll<Reader>(
    `b2sum base32 cat cksum cmp column comm cut df du expand fmt fold head hexdump join ls md5sum nl od paste readlink
    realpath rev sha1sum sha224sum sha256sum sha384sum sha512sum stat strings tac tail unexpand wc`,
    { short: "*" },
  ),
  ...forAll<Reader>(
    `arch basename cal cd dirname echo expr false free getconf groups id lscpu nproc numfmt pgrep printenv ps pwd seq
    sleep tr true : type uname uptime which whereis whoami who`,
    textReader,
  ),
  ...forAll<Reader>("egrep fgrep grep", { short: "*", operands: "pattern" }),
  base64: { short: "di", valued: "w", long: long("decode ignore-garbage wrap") },
  date: {
    short: "uRI",
    valued: "dr",
    long: long("utc iso-8601 date reference rfc-3339 rfc-email"),
    operands: "texts",
  },
  diff: {
    short: "abBcdeEfiNnqrstTuwyZ",
    valued: "CUxIFW",
    long: long(`brief color exclude ignore-all-space ignore-case ignore-space-change new-file recursive
      report-identical-files side-by-side unified`),
  },
  file: {
    short: "bhikLNnprsvz0",
    valued: "eF",
    long: long("brief mime mime-type mime-encoding dereference"),
  },
  jq: {
    short: "cCMrajSensR",
    long: long(`arg argjson compact-output exit-status indent join-output monochrome-output null-input raw-input
      raw-output slurp sort-keys tab`),
    operands: "pattern",
  },
  locale: { short: "akmcv", operands: "texts" },
  rg: {
    short: "0acFHIiLlNnoPpqSsUuvwx",
    valued: "ABCEeFgjmMtT",
    long: long(`case-sensitive color column context count files files-with-matches fixed-strings glob heading hidden
      ignore-case iglob invert-match json line-number max-count max-depth multiline no-heading no-ignore no-line-number
      no-messages only-matching pcre2 smart-case sort stats type type-list vimgrep word-regexp`),
    operands: "pattern",
  },
  shuf: {
    short: "erz",
    valued: "in",
    long: long("echo head-count input-range repeat zero-terminated"),
  },
  sort: {
    short: "bcCdfghiMmnRrsuVz",
    valued: "kSt",
    long: long(`check dictionary-order field-separator general-numeric-sort human-numeric-sort ignore-case
      ignore-leading-blanks key merge month-sort numeric-sort random-sort reverse stable unique version-sort
      zero-terminated`),
  },
  tree: {
    short: "adfilshpugDFQNqnCA",
    valued: "LIP",
    long: long("noreport charset dirsfirst gitignore prune du filelimit"),
  },
};

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

/** Commands of git that run other programs, which their arguments name. */
export const gitRunners: ReadonlySet<string> = new Set(
  names("bisect rebase submodule filter-branch difftool mergetool for-each-repo hook send-email"),
);

/** Returns true for a program of the tables that only reads. */
export function isOnlyReading(program: string): boolean {
  return Object.hasOwn(readers, program) || specialReaders.has(program);
}

const specialReaders: ReadonlySet<string> = new Set(names("hostname uniq xxd"));

/** Returns true for a program of the tables that changes files, and runs no other program. */
export function isWriting(program: string): boolean {
  return Object.hasOwn(writers, program);
}

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
};

/** Programs that connect to other hosts. */
export const networked: ReadonlySet<string> = new Set(
  names(
    `curl wget ssh scp sftp rsync ftp telnet nc ncat netcat socat nmap ping dig nslookup host aria2c http https gh aws
    gcloud az openssl gnutls-cli lftp lynx w3m links elinks`,
  ),
);

/** Programs whose operands are files that they write, with the letters of options that make that worse. */
export const writers: Readonly<Record<string, string>> = {
  ...forAll("cp install ln mkdir mv rmdir tee touch unlink", ""),
  chmod: "R",
  chown: "R",
  rm: "rRf",
};

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
