/* SPDX-License-Identifier: ISC */
/*
 * The table of programs that start other programs; one row each, from their
 * manual pages.  It and its siblings (resolve_tools.c, resolve_codes.c) are
 * kept in byte order of the name and searched by halves.  A name is looked up
 * as it stands, then without version and variant ("python3.11",
 * "ld-linux-x86-64.so.2").
 */
#include "resolve_int.h"

#include <string.h>

#define GDB_GRAMMAR "~ x: ex: eval-command: iex: init-eval-command: " \
	"command: ix: init-command: p: pid: c: core: s: symbols: e: exec: " \
	"se: d: directory: cd: b: l: tty: data-directory: interpreter:"
#define PARALLEL_GRAMMAR "+j:P:a:I:S:n:N:L:l:d:D:E:s:C:M:q jobs: max-procs: " \
	"arg-file: sshlogin: sshloginfile: joblog: results: colsep: " \
	"delimiter: tmpdir: timeout: delay: retries: halt: max-args: " \
	"max-replace-args: max-lines: max-chars: nice: load: memfree: " \
	"basefile: return: workdir: wd: env: profile: tagstring: block: " \
	"recstart: recend: header: progress trc: transferfile: " \
	"ssh: id: semaphorename: semaphore shuf plus"
#define FD_GRAMMAR "d:E:e:t:S:o:c:j:g: extension: exclude: type: max-depth: " \
	"min-depth: exact-depth: size: owner: color: threads: " \
	"base-directory: changed-within: changed-before: search-path: " \
	"max-results: batch-size: ignore-file: path-separator: format:"
#define TERMINAL_GRAMMAR "~ T: title: n: name: geometry: g: fg: bg: fn: " \
	"fa: fs: fd: b: bd: cr: display: class: xrm: sl: tn: w: into:"

static const struct wrap_row wraps[] = {
	{ ".", WRAP_SOURCE, "+", .in_shell = true },
	{ "aa-exec", WRAP_WORDS, "+p:n: profile: namespace:" },
	{ "abduco", WRAP_WORDS, "+e:", .skip = 1 },
	{ "ack", WRAP_OPTION, " pager:", .option = "pager" },
	{ "ag", WRAP_OPTION, " pager:", .option = "pager" },
	{ "alacritty", WRAP_OPTION, "o:t: command title: working-directory: "
	    "config-file: class: embed: socket: option:",
	    .after = "e command" },
	{ "alias", WRAP_ALIAS, .in_shell = true },
	{ "ash", WRAP_SHELL, RESOLVE_SHELL_GRAMMAR },
	{ "at", WRAP_STDIN, "q:f:t:" },
	{ "autossh", WRAP_STRING,
	    "B:b:c:D:E:e:F:I:i:J:L:l:M:m:O:o:P:p:Q:R:S:W:w:", .skip = 1,
	    .elsewhere = true },
	{ "bash", WRAP_SHELL, RESOLVE_SHELL_GRAMMAR },
	{ "bash-static", WRAP_SHELL, RESOLVE_SHELL_GRAMMAR },
	{ "bat", WRAP_OPTION, "l:H:r:m: pager: language: theme: style: "
	    "line-range: highlight-line: map-syntax: file-name:",
	    .option = "pager" },
	{ "batcat", WRAP_OPTION, "l:H:r:m: pager: language: theme: style: "
	    "line-range: highlight-line: map-syntax: file-name:",
	    .option = "pager" },
	{ "batch", WRAP_STDIN, "q:f:" },
	{ "borg", WRAP_OPTION, " rsh: remote-path:",
	    .option = "rsh remote-path" },
	{ "box64", WRAP_WORDS, "+" },
	{ "box86", WRAP_WORDS, "+" },
	{ "bsd-csh", WRAP_SHELL, "+" },
	{ "builtin", WRAP_WORDS, "+", .in_shell = true, .no_function = true },
	{ "busybox", WRAP_WORDS, "+" },
	{ "bwrap", WRAP_WORDS, "+ args: argv0: level-prefix: userns: userns2: "
	    "pidns: uid: gid: hostname: chdir: unsetenv: lock-file: "
	    "sync-fd: bind: bind-try: dev-bind: dev-bind-try: ro-bind: "
	    "ro-bind-try: bind-fd: ro-bind-fd: remount-ro: exec-label: "
	    "file-label: proc: dev: tmpfs: mqueue: dir: file: bind-data: "
	    "ro-bind-data: symlink: seccomp: add-seccomp-fd: block-fd: "
	    "userns-block-fd: info-fd: json-status-fd: cap-add: cap-drop: "
	    "perms: size: chmod: setenv: overlay-src: tmp-overlay: "
	    "ro-overlay:",
	    MORE(.pairs = "bind bind-try dev-bind dev-bind-try ro-bind "
	    "ro-bind-try bind-fd ro-bind-fd file bind-data ro-bind-data "
	    "symlink chmod setenv"), .elsewhere = true },
	{ "catatonit", WRAP_WORDS, "+" },
	{ "catchsegv", WRAP_WORDS, "+" },
	{ "cgexec", WRAP_WORDS, "+g:" },
	{ "choom", WRAP_WORDS, "+n:p: adjust: pid:", .option = NULL },
	{ "chpst", WRAP_WORDS,
	    "+u:U:b:e:/:C:n:l:L:m:d:o:p:f:c:r:t:" },
	{ "chronic", WRAP_WORDS, "+" },
	{ "chroot", WRAP_WORDS, "+ groups: userspec:", .skip = 1,
	    .elsewhere = true },
	{ "chrt", WRAP_WORDS,
	    "+T:P:D:p sched-runtime: sched-period: sched-deadline:",
	    .skip = 1 },
	{ "command", WRAP_WORDS, "+", .in_shell = true, .no_function = true },
	{ "compgen", WRAP_OPTION, "+o:A:G:W:P:S:X:F:C:", .option = "C",
	    .in_shell = true, .appends = true },
	{ "complete", WRAP_OPTION, "+o:A:G:W:P:S:X:F:C:", .option = "C",
	    .in_shell = true, .appends = true },
	{ "cpulimit", WRAP_WORDS, "+l:e:p:P:c: limit: exe: pid: path: cpu:" },
	{ "cronic", WRAP_WORDS, "+" },
	{ "csh", WRAP_SHELL, "+" },
	{ "cvs", WRAP_OPTION, "+d:e:T:z:s:", .option = "e", .appends = true },
	{ "daemon", WRAP_WORDS, "+n:X:F:P:u:U:R:D:E:a:A:L:M:l:b:B:o:O: "
	    "name: command: pidfile: user: chroot: chdir: umask: env: "
	    "output: errlog: dbglog: stdout: stderr:", .option = "X command" },
	{ "daemonize", WRAP_WORDS, "+c:e:E:l:o:p:u:" },
	{ "dash", WRAP_SHELL, RESOLVE_SHELL_GRAMMAR },
	{ "dbclient", WRAP_STRING, "+p:l:i:L:R:J:c:m:K:I:W:b:B:o:", .skip = 1,
	    .elsewhere = true },
	{ "dbus-launch", WRAP_WORDS, "+ config-file:" },
	{ "dbus-run-session", WRAP_WORDS,
	    "+ config-file: dbus-daemon:", .option = "dbus-daemon",
	    .appends = true },
	{ "delta", WRAP_OPTION, " pager:", .option = "pager" },
	{ "dhclient", WRAP_OPTION, "~ sf: lf: pf: cf: e: p: s: g: H: I: B: "
	    "U: V: D: R:", .option = "sf" },
	{ "doas", WRAP_WORDS, "+C:u:" },
	{ "dtach", WRAP_WORDS, "+", .skip = 1 },
	{ "dumb-init", WRAP_WORDS, "+r: rewrite:" },
	{ "dvtm", WRAP_EACH, "m:d:h:c:s:t:" },
	{ "eatmydata", WRAP_WORDS, "+" },
	{ "elvish", WRAP_SHELL, "+" },
	{ "emacsclient", WRAP_OPTION, "a:d:f:s:T:F:p: alternate-editor: "
	    "display: server-file: socket-name: frame-parameters: tramp: "
	    "parent-id:", .option = "a alternate-editor", .appends = true },
	{ "entr", WRAP_WORDS, "+", MORE(.joined = "s") },
	{ "env", WRAP_ENV, "+u:C:S:a: argv0: unset: chdir: split-string: "
	    "block-signal:: default-signal:: ignore-signal::",
	    .option = "S split-string", },
	{ "envdir", WRAP_WORDS, "+", .skip = 1 },
	{ "envuidgid", WRAP_WORDS, "+", .skip = 1 },
	{ "eval", WRAP_STRING, "+", .in_shell = true },
	{ "exec", WRAP_WORDS, "+a:" },
	{ "execlineb", WRAP_OPTION, "+c:s:S:o:", .option = "c" },
	{ "fakeroot", WRAP_WORDS, "+l:s:i:b: lib: faked: save-file: "
	    "load-file: fd-base:" },
	{ "faketime", WRAP_WORDS, "+f:p: exclude-monotonic::", .skip = 1 },
	{ "fd", WRAP_OPTION, FD_GRAMMAR, .after = "x X exec exec-batch" },
	{ "fdfind", WRAP_OPTION, FD_GRAMMAR, .after = "x X exec exec-batch" },
	{ "find", WRAP_FIND },
	{ "firejail", WRAP_WORDS, "+" },
	{ "fish", WRAP_SHELL,
	    "+C:c:p:d:f:D:o: command: init-command: debug: debug-output: "
	    "debug-stack-frames: features: profile: profile-startup:",
	    .option = "C c command init-command" },
	{ "flock", WRAP_WORDS, "+w:E: timeout: wait: conflict-exit-code:",
	    .skip = 1, .option = "c command" },
	{ "foot", WRAP_WORDS, "+c:o:f:t:T:a:w:W:D:s:d:l: config: override: "
	    "font: term: title: app-id: window-size-pixels: "
	    "window-size-chars: working-directory:" },
	{ "fzf", WRAP_OPTION, "q:f:d:n:m: bind: color: delimiter: filter: "
	    "header: height: history: layout: nth: preview: preview-window: "
	    "prompt: query: with-nth: with-shell:", .option = "preview" },
	{ "gdb", WRAP_OPTION, GDB_GRAMMAR, .after = "args" },
	{ "genie", WRAP_WORDS, "+a: as-user:" },
	{ "gfind", WRAP_FIND },
	{ "git", WRAP_GIT },
	{ "gnome-terminal", WRAP_WORDS, "+t: title: profile: geometry: zoom: "
	    "working-directory: window-with-profile: tab-with-profile: "
	    "role: display:" },
	{ "gosu", WRAP_WORDS, "+", .skip = 1 },
	{ "gpg-agent", WRAP_WORDS, "+ homedir: options: log-file: "
	    "pinentry-program: scdaemon-program: debug-level:",
	    .option = "pinentry-program scdaemon-program" },
	{ "gtimeout", WRAP_WORDS, "+k:s: kill-after: signal:", .skip = 1 },
	{ "gxargs", WRAP_XARGS, "+a:d:E:e::I:i::L:l::n:P:s: arg-file: "
	    "delimiter: eof:: replace:: max-lines:: max-args: max-procs: "
	    "max-chars: process-slot-var:", .option = "I i replace" },
	{ "i386", WRAP_WORDS, "+" },
	{ "ifne", WRAP_WORDS, "+" },
	{ "ionice", WRAP_WORDS, "+c:n:p:P:u: class: classdata: pid: pgid: "
	    "uid:" },
	{ "ip", WRAP_AFTER, "+b:f:n:l: batch: family: netns: loops:",
	    .after = "exec", .skip = 1 },
	{ "jobs", WRAP_OPTION, "+", .after = "x", .in_shell = true },
	{ "keep-one-running", WRAP_WORDS, "+" },
	{ "kitty", WRAP_WORDS, "+c:o:T:d:e config: override: title: class: "
	    "name: directory: session: listen-on: start-as:" },
	{ "konsole", WRAP_OPTION, "~ p: workdir: profile: tabs-from-file:",
	    .after = "e" },
	{ "ksh", WRAP_SHELL, RESOLVE_SHELL_GRAMMAR },
	{ "ksh93", WRAP_SHELL, RESOLVE_SHELL_GRAMMAR },
	{ "lckdo", WRAP_WORDS, "+W:", .skip = 1 },
	{ "ld.so", WRAP_WORDS, "+ library-path: inhibit-rpath: audit: "
	    "preload: argv0: glibc-hwcaps-prepend: glibc-hwcaps-mask:" },
	{ "linux32", WRAP_WORDS, "+" },
	{ "linux64", WRAP_WORDS, "+" },
	{ "lksh", WRAP_SHELL, RESOLVE_SHELL_GRAMMAR },
	{ "ltrace", WRAP_WORDS, "+a:A:D:e:F:l:n:o:p:s:u:w:x: align: config: "
	    "debug: library: output: indent: where:" },
	{ "lynx", WRAP_OPTION, "~ editor:", .option = "editor", .appends = true
	    },
	{ "man", WRAP_OPTION, "C:L:m:M:S:s:e:E:P:r:p:R:H::T::X:: "
	    "config-file: locale: systems: manpath: sections: extension: "
	    "encoding: pager: prompt: preprocessor: recode: html:: "
	    "troff-device:: gxditview:: browser:",
	    .option = "P pager H html browser", .appends = true },
	{ "mapfile", WRAP_OPTION, "+d:n:O:s:u:C:c:", .option = "C",
	    .in_shell = true, .appends = true },
	{ "mispipe", WRAP_EACH, "" },
	{ "mksh", WRAP_SHELL, RESOLVE_SHELL_GRAMMAR },
	{ "mksh-static", WRAP_SHELL, RESOLVE_SHELL_GRAMMAR },
	{ "mosh", WRAP_WORDS, "+p: client: server: predict: port: family: "
	    "bind-server: ssh: experimental-remote-ip:", .skip = 1,
	    .option = "ssh", .elsewhere = true },
	{ "mssh", WRAP_STRING, "+u:r:t:o:", .skip = 1, .elsewhere = true },
	{ "nice", WRAP_WORDS, "+n: adjustment:" },
	{ "nohup", WRAP_WORDS, "+" },
	{ "nsenter", WRAP_WORDS, "+t:S:G:m::u::i::n::p::U::C::T::r::w::W: "
	    "target: setuid: setgid: mount:: uts:: ipc:: net:: pid:: "
	    "user:: cgroup:: time:: root:: wd:: wdns:", .elsewhere = true },
	{ "nu", WRAP_OPTION, "c:e:m:I: commands: execute: config: "
	    "env-config: table-mode: include-path:",
	    .option = "c commands e execute" },
	{ "numactl", WRAP_WORDS, "+i:p:P:w:m:N:C:l interleave: preferred: "
	    "preferred-many: membind: cpunodebind: physcpubind:" },
	{ "openvt", WRAP_WORDS, "+c: console:" },
	{ "osh", WRAP_SHELL, RESOLVE_SHELL_GRAMMAR },
	{ "parallel", WRAP_PARALLEL, PARALLEL_GRAMMAR, .option = "ssh" },
	{ "pee", WRAP_EACH, "" },
	{ "pexec", WRAP_WORDS, "+n:f:l:o:e:c m" },
	{ "pkexec", WRAP_WORDS, "+ user:" },
	{ "plink", WRAP_STRING, "~ P: l: pw: pwfile: i: m: hostkey: "
	    "proxycmd: load: D: L: R: nc: cert: sercfg: sshlog:", .skip = 1,
	    .option = "proxycmd", .elsewhere = true },
	{ "posh", WRAP_SHELL, RESOLVE_SHELL_GRAMMAR },
	{ "prlimit", WRAP_WORDS, "+p:o: pid: output:" },
	{ "proxychains", WRAP_WORDS, "+f:" },
	{ "proxychains4", WRAP_WORDS, "+f:" },
	{ "pwsh", WRAP_OPTION, "~ ConfigurationName: ExecutionPolicy: ep: "
	    "File: f: WorkingDirectory: wd: InputFormat: OutputFormat: "
	    "WindowStyle: w:", .after = "c command Command" },
	{ "qemu-user", WRAP_WORDS, "~ g: L: s: cpu: E: U: 0: B: R: d: D: p: "
	    "r: dfilter: seed: plugin: trace:" },
	{ "rbash", WRAP_SHELL, RESOLVE_SHELL_GRAMMAR },
	{ "rclone", WRAP_OPTION, " password-command: config:",
	    .option = "password-command" },
	{ "readarray", WRAP_OPTION, "+d:n:O:s:u:C:c:", .option = "C",
	    .in_shell = true, .appends = true },
	{ "remsh", WRAP_STRING, "+l:k:p:", .skip = 1, .elsewhere = true },
	{ "restic", WRAP_OPTION, "p:r:o: password-command: repo: "
	    "password-file: option:", .option = "password-command" },
	{ "rg", WRAP_OPTION, "A:B:C:E:M:e:f:g:j:m:r:t:T:d: pre: "
	    "hostname-bin: regexp: file: glob: type: iglob: max-count: "
	    "max-depth: replace: sort: colors: color: context: encoding: "
	    "engine: pre-glob: threads:", .option = "pre hostname-bin",
	    .appends = true },
	{ "rksh", WRAP_SHELL, RESOLVE_SHELL_GRAMMAR },
	{ "rlwrap", WRAP_WORDS, "+b:C:D:e:f:g:H:l:M:O:p::P:q:s:S:t:w:X:z: "
	    "break-chars: command-name: history-no-dupes: "
	    "history-filename: file: substitute-prompt:" },
	{ "rsh", WRAP_STRING, "+l:k:p:", .skip = 1, .elsewhere = true },
	{ "rsync", WRAP_REMOTE, "e:f:B:T:M:P rsh: rsync-path: filter: "
	    "exclude: include: exclude-from: include-from: files-from: "
	    "backup-dir: suffix: chmod: chown: max-size: min-size: "
	    "partial-dir: timeout: port: password-file: log-file: "
	    "out-format: bwlimit: compare-dest: copy-dest: link-dest:",
	    .option = "e rsh", .appends = true },
	{ "run-one", WRAP_WORDS, "+" },
	{ "run0", WRAP_WORDS, "+u:g:D:E:M: unit: property: description: "
	    "slice: user: group: nice: chdir: setenv: background: machine:",
	    MORE(.moves = "D chdir", .roots = "M machine") },
	{ "runcon", WRAP_WORDS, "+ct:u:r:l: compute type: user: role: range:",
	    .skip = 1,
	    MORE(.instead = "c compute t type u user r role l range") },
	{ "runuser", WRAP_USER, "c:g:G:s:u:w: command: session-command: "
	    "group: supp-group: shell: user: whitelist-environment:",
	    .option = "c command session-command", .after = "u user" },
	{ "rush", WRAP_STRING, "+i:j:d:D:n:r:v:t:T:o:" },
	{ "rxvt", WRAP_OPTION, TERMINAL_GRAMMAR, .after = "e" },
	{ "s6-envdir", WRAP_WORDS, "+c:l:L:f:", .skip = 1 },
	{ "s6-setuidgid", WRAP_WORDS, "+", .skip = 1 },
	{ "scp", WRAP_REMOTE, "c:D:F:i:J:l:o:P:S:X:", .option = "S D",
	    .appends = true },
	{ "screen", WRAP_SCREEN },
	{ "script", WRAP_OPTION, "c:E:I:O:B:T:m:o:t:: timing:: command: "
	    "echo: log-in: log-out: log-io: log-timing: logging-format: "
	    "output-limit:",
	    .option = "c command" },
	{ "sem", WRAP_PARALLEL, PARALLEL_GRAMMAR, .option = "ssh" },
	{ "setarch", WRAP_WORDS, "+p: pid:", .after = "aarch64 alpha amd64 "
	    "arm armh armv6l armv7h armv7l armv8l athlon i386 i486 i586 "
	    "i686 ia64 linux32 linux64 loongarch64 mips mips32 mips64 "
	    "parisc parisc32 parisc64 ppc ppc32 ppc32le ppc64 ppc64le "
	    "ppcle riscv32 riscv64 s390 s390x sparc sparc32 sparc32bash "
	    "sparc64 uname26 x86_64" },
	{ "setlock", WRAP_WORDS, "+", .skip = 1 },
	{ "setpriv", WRAP_WORDS, "+ ruid: euid: reuid: rgid: egid: regid: "
	    "groups: inh-caps: ambient-caps: bounding-set: securebits: "
	    "pdeathsig: ptracer: selinux-label: apparmor-profile: "
	    "landlock-access: landlock-rule: seccomp-filter:" },
	{ "setsid", WRAP_WORDS, "+" },
	{ "setuidgid", WRAP_WORDS, "+", .skip = 1 },
	{ "sftp", WRAP_REMOTE, "b:B:c:D:F:i:J:l:o:P:R:S:s:X:",
	    .option = "S D", .appends = true },
	{ "sg", WRAP_WORDS, "+", .skip = 1, .option = "c" },
	{ "sh", WRAP_SHELL, RESOLVE_SHELL_GRAMMAR },
	{ "slogin", WRAP_STRING, "B:b:c:D:E:e:F:I:i:J:L:l:m:O:o:P:p:Q:R:S:W:w:"
	    , .skip = 1, .elsewhere = true },
	{ "softlimit", WRAP_WORDS, "+a:c:d:f:l:m:o:p:r:s:t:" },
	{ "solo", WRAP_WORDS, "+ port:" },
	{ "sort", WRAP_OPTION, "k:o:S:t:T: batch-size: buffer-size: "
	    "compress-program: field-separator: files0-from: key: output: "
	    "parallel: random-source: sort: temporary-directory:",
	    .option = "compress-program", .appends = true },
	{ "source", WRAP_SOURCE, "+", .in_shell = true },
	{ "split", WRAP_OPTION, "a:b:C:l:n:t: additional-suffix: bytes: "
	    "filter: line-bytes: lines: number: separator: suffix-length:",
	    .option = "filter" },
	{ "ssh", WRAP_STRING,
	    "B:b:c:D:E:e:F:I:i:J:L:l:m:O:o:P:p:Q:R:S:W:w:", .skip = 1,
	    .elsewhere = true },
	{ "ssh-agent", WRAP_WORDS, "+a:E:O:P:t:" },
	{ "sshpass", WRAP_WORDS, "+f:d:p:P:e" },
	{ "st", WRAP_OPTION, "c:f:g:i:n:o:l:T:t:w:", .after = "e" },
	{ "start-stop-daemon", WRAP_DAEMON, "x:a:p:n:u:g:s:c:d:k:R:N:I:P:r:O: "
	    "start stop status exec: startas: pidfile: name: user: group: "
	    "signal: chuid: "
	    "chdir: umask: retry: nicelevel: iosched: procsched: chroot: "
	    "notify-timeout: output: ppid: pid:",
	    .option = "x a exec startas",
	    MORE(.moves = "d chdir", .roots = "r chroot") },
	{ "stdbuf", WRAP_WORDS, "+i:o:e: input: output: error:" },
	{ "strace", WRAP_WORDS, "+a:b:e:E:I:o:O:p:P:s:S:u:U:X: attach: "
	    "columns: const-print-style: detach-on: env: interruptible: "
	    "output: string-limit: summary-sort-by: summary-columns: "
	    "trace: trace-path: user: abbrev: argv0: decode-pids: fault: "
	    "inject: kvm: raw: read: reads: signal: signals: status: "
	    "strings-in-hex: verbose: write: writes:",
	    MORE(.pipe = "o output") },
	{ "su", WRAP_USER, "c:g:G:s:w:T command: session-command: group: "
	    "supp-group: shell: whitelist-environment:",
	    .option = "c command session-command" },
	{ "su-exec", WRAP_WORDS, "+", .skip = 1 },
	{ "sudo", WRAP_ENV, "+a:C:c:D:g:h:p:R:r:T:t:U:u: login auth-type: "
	    "close-from: login-class: chdir: group: host: prompt: chroot: "
	    "role: command-timeout: type: other-user: user: "
	    "preserve-env::",
	    MORE(.moves = "D chdir login", .roots = "R chroot") },
	{ "systemd-cat", WRAP_WORDS, "+t:p: identifier: priority: "
	    "stderr-priority: level-prefix: namespace:" },
	{ "systemd-inhibit", WRAP_WORDS, "+ what: who: why: mode:" },
	{ "systemd-notify", WRAP_AFTER, "+ uid: status: pid::", .after = ";" },
	{ "systemd-run", WRAP_WORDS, "+E:H:M:p:u: unit: property: "
	    "description: slice: uid: gid: nice: working-directory: "
	    "setenv: on-active: on-boot: on-startup: on-unit-active: "
	    "on-unit-inactive: on-calendar: timer-property: "
	    "path-property: socket-property: service-type: host: "
	    "machine: background:",
	    MORE(.moves = "working-directory", .roots = "H M host machine") },
	{ "systemd-socket-activate", WRAP_WORDS, "+l:E:d: listen: setenv: "
	    "fdname:" },
	{ "tar", WRAP_TAR, "A:b:C:F:f:g:H:h:I:K:L:N:T:V:X: add-file: "
	    "after-date: blocking-factor: checkpoint-action: directory: "
	    "exclude: exclude-from: file: files-from: format: group: "
	    "index-file: info-script: label: level: listed-incremental: "
	    "mode: mtime: new-volume-script: newer: newer-mtime: "
	    "no-quote-chars: one-top-level:: owner: quote-chars: "
	    "quoting-style: record-size: rmt-command: rsh-command: sort: "
	    "starting-file: strip-components: suffix: tape-length: "
	    "to-command: transform: use-compress-program: volno-file: "
	    "warning: xform:", .option = "I use-compress-program F "
	    "info-script new-volume-script to-command rsh-command "
	    "rmt-command" },
	{ "taskset", WRAP_WORDS, "+", .skip = 1 },
	{ "tcpdump", WRAP_OPTION, "B:c:C:D:E:F:G:i:j:m:M:Q:r:s:T:V:w:W:y:z:Z:",
	    .option = "z", .appends = true },
	{ "tcsh", WRAP_SHELL, "+" },
	{ "terminator", WRAP_OPTION, "e:T:x l:p:g: command: title: "
	    "working-directory: layout: profile: geometry:",
	    .option = "e command", .after = "x execute" },
	{ "tilix", WRAP_OPTION, "e:t:p:w:a:s: command: title: profile: "
	    "working-directory: session: geometry:", .option = "e command" },
	{ "time", WRAP_WORDS, "+f:o: format: output:" },
	{ "timeout", WRAP_WORDS, "+k:s: kill-after: signal:", .skip = 1 },
	{ "tini", WRAP_WORDS, "+p:e:" },
	{ "tmate", WRAP_TMUX },
	{ "tmux", WRAP_TMUX },
	{ "torify", WRAP_WORDS, "+" },
	{ "torsocks", WRAP_WORDS, "+u:p:a:P: user: pass: address: port:" },
	{ "toybox", WRAP_WORDS, "+" },
	{ "trap", WRAP_TRAP, .in_shell = true },
	{ "tsocks", WRAP_WORDS, "+" },
	{ "udhcpc", WRAP_OPTION, "i:p:O:x:r:T:t:A:s: script: interface: "
	    "pidfile:", .option = "s script" },
	{ "uname26", WRAP_WORDS, "+" },
	{ "unbuffer", WRAP_WORDS, "+" },
	{ "unshare", WRAP_WORDS, "+R:w:S:G:l: root: "
	    "wd: setuid: setgid: load-interp: mount:: uts:: ipc:: net:: "
	    "pid:: user:: cgroup:: time:: propagation: setgroups: "
	    "map-user: map-users: map-group: map-groups: owner: "
	    "kill-child:: mount-proc:: monotonic: boottime:",
	    MORE(.moves = "w wd", .roots = "R root") },
	{ "urxvt", WRAP_OPTION, TERMINAL_GRAMMAR, .after = "e" },
	{ "uxterm", WRAP_OPTION, TERMINAL_GRAMMAR, .after = "e" },
	{ "valgrind", WRAP_WORDS, "+" },
	{ "watch", WRAP_STRING, "+n:d::q: interval: differences:: equexit:" },
	{ "wezterm", WRAP_AFTER, "+ cwd: class: workspace: position: "
	    "domain: config: config-file:", .after = "start" },
	{ "with-contenv", WRAP_WORDS, "+" },
	{ "wpa_cli", WRAP_OPTION, "a:p:s:g:i:P:G:", .option = "a" },
	{ "x-terminal-emulator", WRAP_OPTION, TERMINAL_GRAMMAR, .after = "e" },
	{ "x86_64", WRAP_WORDS, "+" },
	{ "xargs", WRAP_XARGS, "+a:d:E:e::I:i::L:l::n:P:s: arg-file: "
	    "delimiter: eof:: replace:: max-lines:: max-args: max-procs: "
	    "max-chars: process-slot-var:", .option = "I i replace" },
	{ "xfce4-terminal", WRAP_OPTION, "e:T:x I: command: title: "
	    "working-directory: geometry: icon: display: font:",
	    .option = "e command", .after = "x execute" },
	{ "xonsh", WRAP_OPTION, "c:D: rc: shell-type:", .option = "c" },
	{ "xterm", WRAP_OPTION, TERMINAL_GRAMMAR, .after = "e" },
	{ "xvfb-run", WRAP_WORDS, "+e:f:n:p:s:w: error-file: auth-file: "
	    "server-num: xauth-protocol: server-args: wait:" },
	{ "yash", WRAP_SHELL, RESOLVE_SHELL_GRAMMAR },
	{ "ysh", WRAP_SHELL, RESOLVE_SHELL_GRAMMAR },
	{ "zip", WRAP_OPTION, "~ TT: unzip-command: b: t: tt: n: P: s: sp: "
	    "O: i: x:", .option = "TT unzip-command", .appends = true },
	{ "zrun", WRAP_WORDS, "+" },
	{ "zsh", WRAP_SHELL, RESOLVE_ZSH_GRAMMAR },
	{ "zsh-static", WRAP_SHELL, RESOLVE_ZSH_GRAMMAR },
};

/* "python3.11" → 6, "ld-linux-x86-64.so.2" → "ld.so": how much of the name
 * remains, or 0 when nothing is to take off. */
static size_t
without_version(const char *name)
{
	size_t len = strlen(name), n = len;

	while (n > 0 && strchr("0123456789.-", name[n - 1]) != NULL)
		n--;
	return n < len ? n : 0;
}

static int
compare(const char *name, size_t len, const char *row)
{
	int order = strncmp(name, row, len);

	return order != 0 ? order : row[len] == '\0' ? 0 : -1;
}

static const void *
find_row(const void *rows, size_t n, size_t size, const char *name, size_t len)
{
	size_t low = 0, high = n, mid;
	const char *row;
	int order;

	while (low < high) {
		mid = low + (high - low) / 2;
		row = (const char *)rows + mid * size;
		order = compare(name, len, *(const char *const *)row);
		if (order == 0)
			return row;
		if (order < 0)
			high = mid;
		else
			low = mid + 1;
	}
	return NULL;
}

const void *
resolve_find_row(const void *rows, size_t n, size_t size, const char *name)
{
	size_t len = strlen(name);
	const void *row = find_row(rows, n, size, name, len);

	if (row == NULL && (len = without_version(name)) > 0)
		row = find_row(rows, n, size, name, len);
	return row;
}

/* qemu-x86_64 and its like run a program of another machine; qemu-system-…,
 * qemu-img and their like do not. */
static bool
is_qemu_user(const char *name)
{
	static const char *const others[] = { "ga", "img", "io", "kvm", "nbd",
		"pr-helper", "storage-daemon", "system" };
	size_t i, n;

	if (strncmp(name, "qemu-", 5) != 0)
		return false;
	for (i = 0; i < AEG_NELEM(others); i++) {
		n = strlen(others[i]);
		if (strncmp(name + 5, others[i], n) == 0 &&
		    (name[5 + n] == '\0' || name[5 + n] == '-'))
			return false;
	}
	return true;
}

const struct wrap_row *
resolve_wrap_row(const char *name)
{
	const struct wrap_row *row;

	if (strncmp(name, "ld-linux", 8) == 0 ||
	    strncmp(name, "ld-musl", 7) == 0)
		name = "ld.so";
	else if (is_qemu_user(name))
		name = "qemu-user";
	row = resolve_find_row(wraps, AEG_NELEM(wraps), sizeof wraps[0], name);
	return row != NULL ? row : resolve_tool_row(name);
}

const char *
resolve_rows_unsorted(const void *rows, size_t n, size_t size)
{
	const char *const *name, *before = "";
	size_t i;

	for (i = 0; i < n; i++) {
		name = (const void *)((const char *)rows + i * size);
		if (strcmp(before, *name) >= 0)
			return *name;
		before = *name;
	}
	return NULL;
}

/* For the test: the tables are in order. */
const char *
resolve_table_unsorted(void)
{
	const char *found = resolve_rows_unsorted(wraps, AEG_NELEM(wraps),
	    sizeof wraps[0]);

	if (found == NULL)
		found = resolve_tools_unsorted();
	return found != NULL ? found : resolve_codes_unsorted();
}
