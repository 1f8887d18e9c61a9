/**
 * The options of a program, and what it does with its operands. A text: the use of the operands, then the options. An
 * option is a group of letters (`-abc`) or a name (`--all`), followed by marks:
 *
 * - `=`: it has a value; `?`: its value is optional, and attached to it; `<`: its value is a file that is read, `>`: one
 *   that is written, `@`: the folder that the program writes to. Several: so many values.
 * - `*`: it makes the program enter folders; `.`: also hidden ones.
 * - `~`: it replaces the first operand, such as a pattern.
 * - `!`: it makes the program do more than its arguments say; `&`: its value is a command that is run.
 *
 * `any`: all other options are harmless, and have no value in the next word. `-#`: digits are an option.
 * `single`: each letter has a word of its own, and a word after an operand is no option.
 */
type OptionText = string;

/** The use of operands. */
export type OperandUse =
  | "texts"
  | "reads"
  | "writes"
  /** A pattern, and then files that are read. */
  | "pattern"
  /** A filter of jq, and then files that are read. */
  | "jq"
  /** A pattern, and then folders that are searched. */
  | "search"
  /** A mode or an owner, and then files that are written. */
  | "mode"
  /** Sources, and then a target. */
  | "copies"
  | "installs"
  | "moves"
  | "links"
  /** An input, and then an output. */
  | "in-out"
  /** An input, and then the beginning of the names of outputs. */
  | "pieces"
  /** Files that are replaced by ones with another ending. */
  | "replaces"
  /** An archive that is written, and then what it contains. */
  | "zip"
  | "unzip"
  | "sed"
  | "tar";

/** An entry for each of the programs in a text. */
function each(programs: string, options: OptionText): Readonly<Record<string, OptionText>> {
  return Object.fromEntries(
    programs
      .trim()
      .split(/\s+/)
      .map((program) => [program, options]),
  );
}

const backups = "--backup? --suffix= -b -S=";
const targets = `${backups} -t@ -T --target-directory@ --no-target-directory`;
const questions = "-fiv --force --interactive --verbose --debug";
const sedOptions = `-nErsuzb -e~= -f~< -i? -l= --expression~= --file~< --in-place? --line-length= --quiet --silent
  --regexp-extended --posix --debug --sandbox --separate --unbuffered --null-data --zero-terminated --binary
  --follow-symlinks --help --version`;
const gzipOptions = `-acdfhkLlnqtvV -r* -N! -S= -# --ascii --stdout --to-stdout --decompress --uncompress --force --keep
  --list --no-name --name! --quiet --recursive* --rsyncable --suffix= --synchronous --test --verbose --fast --best`;
const bzip2Options = `-cdzktfqvsLV -# --compress --decompress --keep --test --stdout --force --quiet --verbose --small
  --fast --best`;
const xzOptions = `-zdtlkfceqQv -# -S= -F= -C= -T= -M= --compress --decompress --uncompress --test --list --keep --force
  --stdout --to-stdout --suffix= --format= --check= --threads= --memlimit= --extreme --quiet --verbose --no-warn
  --no-sparse --single-stream`;
const grepOptions = `any -e~= -f~< -A= -B= -C= -m= -D= -d*.= -rR*. --regexp~= --file~< --after-context=
  --before-context= --context= --max-count= --include= --exclude= --exclude-from< --exclude-dir= --devices=
  --directories*.= --recursive*. --dereference-recursive*. --label= --binary-files= --group-separator=`;

/** The programs whose options are all known. */
export const programOptions: Readonly<Record<string, OptionText>> = {
  ...each(
    `arch basename cal cd dirname echo expr false free getconf groups id lscpu nproc numfmt pgrep printenv ps pwd seq
    sleep tr true : type uname uptime which whereis whoami who users tty logname factor`,
    "texts any",
  ),
  ...each(
    `b2sum base32 base64 basenc bzcat cat cksum md5sum rev readlink realpath sha1sum sha224sum sha256sum sha384sum
    sha512sum strings sum tac tsort xzcat zcat ls stat`,
    "reads any",
  ),
  cmp: "reads any -i= -n= --ignore-initial= --bytes=",
  column: "reads any -c= -s= -o= -N= -H= -E= -R= -T= -W= -O= --separator= --output-separator=",
  comm: "reads any --output-delimiter=",
  cut: "reads any -b= -c= -d= -f= --bytes= --characters= --delimiter= --fields= --output-delimiter=",
  df: "reads any -B= -t= -x= --block-size= --type= --exclude-type=",
  du: `reads any -B= -d= -t= -X< --files0-from< --exclude= --exclude-from< --block-size= --max-depth= --threshold=
    --time-style=`,
  ...each("expand unexpand", "reads any -t= --tabs="),
  ...each("fmt fold", "reads any -w= -g= -p= --width= --goal= --prefix="),
  ...each("head tail", "reads any -c= -n= -s= -# --bytes= --lines= --sleep-interval= --pid="),
  hexdump: "reads any -e= -f< -n= -s=",
  join: "reads any -1= -2= -a= -e= -j= -o= -t= -v=",
  nl: "reads any -b= -d= -f= -h= -i= -l= -n= -s= -v= -w=",
  od: "reads any -A= -j= -N= -S= -t= -w?",
  paste: "reads any -d= --delimiters=",
  wc: "reads any --files0-from<",
  date: `texts -uR -I? -d= -r< -f< -s! --date= --file< --iso-8601? --rfc-3339= --rfc-email --rfc-822 --rfc-2822
    --reference< --universal --utc --uct --debug --resolution --set! --help --version`,
  diff: `reads -abBcdeEfilnNpPqstTuvwyZ -r*. -# -C= -D= -F= -I= -L= -S= -U= -W= -x= -X< --normal --brief
    --report-identical-files --context? --unified? --ed --rcs --side-by-side --width= --left-column
    --suppress-common-lines --show-c-function --show-function-line= --label= --expand-tabs --initial-tab --tabsize=
    --suppress-blank-empty --paginate --recursive*. --no-dereference --new-file --unidirectional-new-file
    --ignore-file-name-case --exclude= --exclude-from< --starting-file= --from-file< --to-file< --ignore-case
    --ignore-tab-expansion --ignore-trailing-space --ignore-space-change --ignore-all-space --ignore-blank-lines
    --ignore-matching-lines= --text --strip-trailing-cr --ifdef= --minimal --horizon-lines= --speed-large-files --color?
    --help --version`,
  file: `reads -bcdEhikLlNnprsSvzZ0 -C! -e= -f< -F= -m< -P= --brief --checking-printout --compile! --exclude=
    --exclude-quiet= --extension --files-from< --separator= --keep-going --list --magic-file< --mime --mime-type
    --mime-encoding --no-buffer --no-dereference --no-pad --dereference --parameter= --preserve-date --print0 --raw
    --special-files --uncompress --uncompress-noreport --help --version`,
  ...each("egrep fgrep grep", `pattern ${grepOptions}`),
  fd: `search any -e= -E= -t= -d= -S= -c= -j= -x& -X& --exec& --exec-batch& --base-directory< --search-path<
    --ignore-file< -HuI. --hidden. --no-ignore. --unrestricted.`,
  jq: `jq -acCehijMnrRsSV -f~< -L< --arg== --argjson== --slurpfile=< --rawfile=< --args --jsonargs --compact-output
    --color-output --ascii-output --exit-status --from-file~< --indent= --join-output --monochrome-output --null-input
    --raw-input --raw-output --raw-output0 --seq --slurp --sort-keys --stream --stream-errors --tab --unbuffered --help
    --version`,
  locale: "texts -akmcv",
  pr: "reads any -h= -l= -o= -w= -W= -D= -N=",
  rg: `search any -e~= -f~< -A= -B= -C= -E= -g= -j= -m= -M= -r= -t= -T= -d= --regexp~= --file~< --files~ --type-list~
    --pre&= --hostname-bin&= --ignore-file< --glob= --iglob= --type= --type-not= --replace= --max-count= --max-depth=
    --context= --after-context= --before-context= --encoding= --engine= --sort= --sortr= --threads= --color= --colors=
    -u. -.. --hidden. --unrestricted. --no-ignore`,
  shuf: `reads -erz -i= -n= -o> --echo --input-range= --head-count= --output> --random-source< --repeat
    --zero-terminated --help --version`,
  sort: `reads -bcCdfghiMmnrRsuVz -k= -S= -t= -o> -T> --check? --sort= --batch-size= --parallel= --compress-program&=
    --files0-from<! --random-source< --output> --temporary-directory> --debug --dictionary-order --field-separator=
    --buffer-size= --general-numeric-sort --human-numeric-sort --ignore-case --ignore-leading-blanks
    --ignore-nonprinting --key= --merge --month-sort --numeric-sort --random-sort --reverse --stable --unique
    --version-sort --zero-terminated --help --version`,
  tree: `reads -adfhilnpqrstuvxACDFNQSJX -I= -L= -P= -o> -H= -R! --noreport --charset= --dirsfirst --gitignore --prune
    --du --filelimit= --inodes --device --matchdirs --ignore-case --si --sort= --timefmt= --help --version`,
  uniq: `in-out -cdDiuz -# -f= -s= -w= --count --repeated --all-repeated? --group? --skip-fields= --ignore-case
    --skip-chars= --unique --zero-terminated --check-chars= --help --version`,
  xxd: "in-out single -abCdeEipruv -c= -g= -l= -o= -s= -n= -R=",
  cp: `copies ${targets} ${questions} -dHlLnPpsuxZ -arR*. --archive*. --attributes-only --copy-contents --dereference
    --link --no-clobber --no-dereference --no-preserve= --one-file-system --parents --preserve? --recursive*. --reflink?
    --remove-destination --sparse= --strip-trailing-slashes --symbolic-link --update? --context?
    --keep-directory-symlink --help --version`,
  install: `installs ${targets} -cCdDpsvZ -g= -m= -o= --compare --directory --group= --mode= --owner= --preserve-timestamps
    --strip --strip-program&= --verbose --preserve-context --context? --debug --help --version`,
  ln: `links ${targets} ${questions} -dFLnPrs --directory --logical --no-dereference --physical --relative --symbolic
    --help --version`,
  mv: `moves ${targets} ${questions} -nuZ --exchange --no-clobber --no-copy --strip-trailing-slashes --update? --context
    --help --version`,
  link: "writes",
  mkdir: "writes -pvZ -m= --mode= --parents --verbose --context? --help --version",
  mkfifo: "writes -Z -m= --mode= --context? --help --version",
  rm: `writes -diIv -f! -rR*.! --dir --force! --interactive? --one-file-system --no-preserve-root! --preserve-root?
    --recursive*.! --verbose --help --version`,
  rmdir: "writes -pv --parents --verbose --ignore-fail-on-non-empty --help --version",
  tee: "writes -aip --append --ignore-interrupts --output-error? --help --version",
  touch: `writes -acfhm -d= -r< -t= --date= --no-create --no-dereference --reference< --time= --help --version`,
  unlink: "writes --help --version",
  chmod: `mode -cfv -rwxXstugo~ -R*.! --changes --silent --quiet --verbose --no-preserve-root! --preserve-root
    --reference~< --recursive*.! --help --version`,
  ...each(
    "chown chgrp",
    `mode -cfhvHLP -R*.! --changes --silent --quiet --verbose --dereference --no-dereference --from=
    --no-preserve-root! --preserve-root --reference~< --recursive*.! --help --version`,
  ),
  split: `pieces -deuxv -# -a= -b= -C= -l= -n= -t= --filter&= --additional-suffix= --bytes= --line-bytes= --lines=
    --number= --numeric-suffixes? --hex-suffixes? --elide-empty-files --unbuffered --separator= --suffix-length=
    --verbose --help --version`,
  ...each("gzip gunzip", `replaces ${gzipOptions} --help --version`),
  ...each("bzip2 bunzip2", `replaces ${bzip2Options} --help --version`),
  ...each("xz unxz", `replaces ${xzOptions} --help --version`),
  zip: "zip -r*. -qjvXyuoD -#",
  unzip: "unzip -lvtpcqZ",
  sed: `sed ${sedOptions}`,
  tar: `tar -AcdrtuxaBGhijJklmMnopRsSUvwWzZ -O -P! -b= -C= -f= -g> -H= -K= -L= -N= -V= -T<! -X< -I&= -F&= --append
    --catenate --concatenate --create --diff --compare --delete! --extract --get --list --update --auto-compress
    --bzip2 --gzip --xz --zstd --lzma --lzip --compress --directory= --file= --files-from<! --exclude= --exclude-from<
    --exclude-vcs --exclude-caches --dereference --hard-dereference --keep-old-files --skip-old-files --overwrite
    --listed-incremental> --index-file> --strip-components= --transform= --xform= --wildcards --no-wildcards --anchored
    --no-anchored --no-recursion --recursion --one-file-system --owner= --group= --mode= --mtime= --sort= --format=
    --numeric-owner --same-owner --no-same-owner --same-permissions --preserve-permissions --no-same-permissions
    --absolute-names! --remove-files! --to-stdout --to-command&= --use-compress-program&= --checkpoint?
    --checkpoint-action&= --info-script&= --new-volume-script&= --rsh-command&= --rmt-command&= --null --sparse
    --touch --totals? --verbose --verify --warning= --ignore-failed-read --help --version`,
};
