/* SPDX-License-Identifier: ISC */
/*
 * The tables: programs that start other programs, and programs that take
 * code of another language in an argument; one row each, from their manual
 * pages.  Both are kept in byte order of the name and searched by halves.
 * A name is looked up as it stands, then without version and variant
 * ("python3.11", "ld-linux-x86-64.so.2").
 */
#include "resolve_int.h"

#include <string.h>

#define VIM_GRAMMAR "c:S:u:U:i:w:W:T: cmd: startuptime: log: " \
	"remote-expr: remote-send: servername: socketid:"
#define VIM_CODE "c cmd remote-expr remote-send"
#define NODE_GRAMMAR "+e:p:r:C: eval: print: require: import: loader: " \
	"experimental-loader: conditions: input-type: title: env-file: " \
	"inspect:: inspect-brk:: watch-path: stack-trace-limit: " \
	"max-old-space-size:"
#define GDB_GRAMMAR "~ x: ex: eval-command: iex: init-eval-command: " \
	"command: ix: init-command: p: pid: c: core: s: symbols: e: exec: " \
	"se: d: directory: cd: b: l: tty: data-directory: interpreter:"
#define TERMINAL_GRAMMAR "~ T: title: n: name: geometry: g: fg: bg: fn: " \
	"fa: fs: fd: b: bd: cr: display: class: xrm: sl: tn: w: into:"
#define NODE_CODE "e p eval print pe"

static const struct wrap_row wraps[] = {
	{ ".", WRAP_SOURCE, "+", .in_shell = true },
	{ "aa-exec", WRAP_WORDS, "+p:n: profile: namespace:" },
	{ "abduco", WRAP_WORDS, "+e:", .skip = 1 },
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
	{ "batch", WRAP_STDIN, "q:f:" },
	{ "bsd-csh", WRAP_SHELL, "+" },
	{ "builtin", WRAP_WORDS, "+", .in_shell = true, .no_function = true },
	{ "bundle", WRAP_AFTER, "", .after = "exec" },
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
	    .pairs = "bind bind-try dev-bind dev-bind-try ro-bind "
	    "ro-bind-try bind-fd ro-bind-fd file bind-data ro-bind-data "
	    "symlink chmod setenv", .elsewhere = true },
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
	{ "csh", WRAP_SHELL, "+" },
	{ "daemonize", WRAP_WORDS, "+c:e:E:l:o:p:u:" },
	{ "dash", WRAP_SHELL, RESOLVE_SHELL_GRAMMAR },
	{ "dbus-launch", WRAP_WORDS, "+ config-file:" },
	{ "dbus-run-session", WRAP_WORDS,
	    "+ config-file: dbus-daemon:", .option = "dbus-daemon",
	    .appends = true },
	{ "direnv", WRAP_AFTER, "", .after = "exec", .skip = 1 },
	{ "doas", WRAP_WORDS, "+C:u:" },
	{ "dtach", WRAP_WORDS, "+", .skip = 1 },
	{ "dumb-init", WRAP_WORDS, "+r: rewrite:" },
	{ "eatmydata", WRAP_WORDS, "+" },
	{ "elvish", WRAP_SHELL, "+" },
	{ "entr", WRAP_WORDS, "+" },
	{ "env", WRAP_ENV, "+u:C:S:a: argv0: unset: chdir: split-string: "
	    "block-signal:: default-signal:: ignore-signal::",
	    .option = "S split-string", },
	{ "envdir", WRAP_WORDS, "+", .skip = 1 },
	{ "envuidgid", WRAP_WORDS, "+", .skip = 1 },
	{ "eval", WRAP_STRING, "+", .in_shell = true },
	{ "exec", WRAP_WORDS, "+a:" },
	{ "fakeroot", WRAP_WORDS, "+l:s:i:b: lib: faked: save-file: "
	    "load-file: fd-base:" },
	{ "faketime", WRAP_WORDS, "+f:p: exclude-monotonic::", .skip = 1 },
	{ "find", WRAP_FIND },
	{ "firejail", WRAP_WORDS, "+" },
	{ "fish", WRAP_SHELL,
	    "+C:c:p:d:f:D:o: command: init-command: debug: debug-output: "
	    "debug-stack-frames: features: profile: profile-startup:",
	    .option = "C c command init-command" },
	{ "flock", WRAP_WORDS, "+w:E: timeout: wait: conflict-exit-code:",
	    .skip = 1, .option = "c command" },
	{ "gdb", WRAP_OPTION, GDB_GRAMMAR, .after = "args" },
	{ "genie", WRAP_WORDS, "+a: as-user:" },
	{ "gfind", WRAP_FIND },
	{ "gnome-terminal", WRAP_WORDS, "+t: title: profile: geometry: zoom: "
	    "working-directory: window-with-profile: tab-with-profile: "
	    "role: display:" },
	{ "gosu", WRAP_WORDS, "+", .skip = 1 },
	{ "gtimeout", WRAP_WORDS, "+k:s: kill-after: signal:", .skip = 1 },
	{ "gxargs", WRAP_XARGS, "+a:d:E:e::I:i::L:l::n:P:s: arg-file: "
	    "delimiter: eof:: replace:: max-lines:: max-args: max-procs: "
	    "max-chars: process-slot-var:", .option = "I i replace" },
	{ "ionice", WRAP_WORDS, "+c:n:p:P:u: class: classdata: pid: pgid: "
	    "uid:" },
	{ "ip", WRAP_AFTER, "+b:f:n:l: batch: family: netns: loops:",
	    .after = "exec", .skip = 1 },
	{ "jobs", WRAP_OPTION, "+", .after = "x", .in_shell = true },
	{ "konsole", WRAP_OPTION, "~ p: workdir: profile: tabs-from-file:",
	    .after = "e" },
	{ "ksh", WRAP_SHELL, RESOLVE_SHELL_GRAMMAR },
	{ "ksh93", WRAP_SHELL, RESOLVE_SHELL_GRAMMAR },
	{ "ld.so", WRAP_WORDS, "+ library-path: inhibit-rpath: audit: "
	    "preload: argv0: glibc-hwcaps-prepend: glibc-hwcaps-mask:" },
	{ "linux32", WRAP_WORDS, "+" },
	{ "linux64", WRAP_WORDS, "+" },
	{ "lksh", WRAP_SHELL, RESOLVE_SHELL_GRAMMAR },
	{ "ltrace", WRAP_WORDS, "+a:A:D:e:F:l:n:o:p:s:u:w:x: align: config: "
	    "debug: library: output: indent: where:" },
	{ "machinectl", WRAP_AFTER, "+E:H:M:p: setenv: uid: host: machine: "
	    "property:", .after = "shell", .skip = 1, .elsewhere = true },
	{ "mapfile", WRAP_OPTION, "+d:n:O:s:u:C:c:", .option = "C",
	    .in_shell = true, .appends = true },
	{ "mksh", WRAP_SHELL, RESOLVE_SHELL_GRAMMAR },
	{ "mksh-static", WRAP_SHELL, RESOLVE_SHELL_GRAMMAR },
	{ "mosh", WRAP_WORDS, "+p: client: server: predict: port: family: "
	    "bind-server: ssh: experimental-remote-ip:", .skip = 1,
	    .option = "ssh", .elsewhere = true },
	{ "nice", WRAP_WORDS, "+n: adjustment:" },
	{ "nohup", WRAP_WORDS, "+" },
	{ "npm", WRAP_AFTER, "+c: call: package: workspace: prefix:",
	    .after = "exec x", .option = "c call", .fetches = true },
	{ "npx", WRAP_WORDS, "+c:p:w: call: package: workspace:",
	    .option = "c call", .fetches = true },
	{ "nsenter", WRAP_WORDS, "+t:S:G:m::u::i::n::p::U::C::T::r::w::W: "
	    "target: setuid: setgid: mount:: uts:: ipc:: net:: pid:: "
	    "user:: cgroup:: time:: root:: wd:: wdns:", .elsewhere = true },
	{ "numactl", WRAP_WORDS, "+i:p:P:w:m:N:C:l interleave: preferred: "
	    "preferred-many: membind: cpunodebind: physcpubind:" },
	{ "openvt", WRAP_WORDS, "+c: console:" },
	{ "parallel", WRAP_PARALLEL, "+j:P:a:I:S:n:N:L:l:d:D:E:s:C:M:q "
	    "jobs: max-procs: arg-file: sshlogin: sshloginfile: joblog: "
	    "results: colsep: delimiter: tmpdir: timeout: delay: retries: "
	    "halt: max-args: max-replace-args: max-lines: max-chars: "
	    "nice: load: memfree: basefile: return: workdir: wd: env: "
	    "profile: tagstring: block: recstart: recend: header: "
	    "progress trc: transferfile: shuf plus" },
	{ "pexec", WRAP_WORDS, "+n:f:l:o:e:c m" },
	{ "pipenv", WRAP_AFTER, "", .after = "run" },
	{ "pkexec", WRAP_WORDS, "+ user:" },
	{ "poetry", WRAP_AFTER, "+C:P: directory: project:", .after = "run" },
	{ "posh", WRAP_SHELL, RESOLVE_SHELL_GRAMMAR },
	{ "prlimit", WRAP_WORDS, "+p:o: pid: output:" },
	{ "proxychains", WRAP_WORDS, "+f:" },
	{ "proxychains4", WRAP_WORDS, "+f:" },
	{ "rbash", WRAP_SHELL, RESOLVE_SHELL_GRAMMAR },
	{ "readarray", WRAP_OPTION, "+d:n:O:s:u:C:c:", .option = "C",
	    .in_shell = true, .appends = true },
	{ "rksh", WRAP_SHELL, RESOLVE_SHELL_GRAMMAR },
	{ "rlwrap", WRAP_WORDS, "+b:C:D:e:f:g:H:l:M:O:p::P:q:s:S:t:w:X:z: "
	    "break-chars: command-name: history-no-dupes: "
	    "history-filename: file: substitute-prompt:" },
	{ "rsync", WRAP_REMOTE, "e:f:B:T:M:P rsh: rsync-path: filter: "
	    "exclude: include: exclude-from: include-from: files-from: "
	    "backup-dir: suffix: chmod: chown: max-size: min-size: "
	    "partial-dir: timeout: port: password-file: log-file: "
	    "out-format: bwlimit: compare-dest: copy-dest: link-dest:",
	    .option = "e rsh" },
	{ "run-one", WRAP_WORDS, "+" },
	{ "runcon", WRAP_WORDS, "+t:u:r:l: type: user: role: range:",
	    .labels = true },
	{ "runuser", WRAP_USER, "c:g:G:s:u:w: command: session-command: "
	    "group: supp-group: shell: user: whitelist-environment:",
	    .option = "c command session-command", .after = "u user" },
	{ "rustup", WRAP_AFTER, "+", .after = "run", .skip = 1 },
	{ "rxvt", WRAP_OPTION, TERMINAL_GRAMMAR, .after = "e" },
	{ "scp", WRAP_REMOTE, "c:D:F:i:J:l:o:P:S:X:", .option = "S" },
	{ "screen", WRAP_SCREEN },
	{ "script", WRAP_OPTION, "c:E:I:O:B:T:m:o:t:: timing:: command: "
	    "echo: log-in: log-out: log-io: log-timing: logging-format: "
	    "output-limit:",
	    .option = "c command" },
	{ "setarch", WRAP_WORDS, "+p: pid:", .after = "x86_64 i386 i486 "
	    "i586 i686 amd64 athlon linux32 linux64 aarch64 arm armv7l "
	    "ppc64le s390x" },
	{ "setlock", WRAP_WORDS, "+", .skip = 1 },
	{ "setpriv", WRAP_WORDS, "+ ruid: euid: reuid: rgid: egid: regid: "
	    "groups: inh-caps: ambient-caps: bounding-set: securebits: "
	    "pdeathsig: ptracer: selinux-label: apparmor-profile: "
	    "landlock-access: landlock-rule: seccomp-filter:" },
	{ "setsid", WRAP_WORDS, "+" },
	{ "setuidgid", WRAP_WORDS, "+", .skip = 1 },
	{ "sftp", WRAP_REMOTE, "b:B:c:D:F:i:J:l:o:P:R:S:s:X:", .option = "S" },
	{ "sg", WRAP_WORDS, "+", .skip = 1, .option = "c" },
	{ "sh", WRAP_SHELL, RESOLVE_SHELL_GRAMMAR },
	{ "softlimit", WRAP_WORDS, "+a:c:d:f:l:m:o:p:r:s:t:" },
	{ "source", WRAP_SOURCE, "+", .in_shell = true },
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
	    .option = "x a exec startas", .moves = "d chdir",
	    .roots = "r chroot" },
	{ "stdbuf", WRAP_WORDS, "+i:o:e: input: output: error:" },
	{ "strace", WRAP_WORDS, "+a:b:e:E:I:o:O:p:P:s:S:u:U:X: attach: "
	    "columns: const-print-style: detach-on: env: interruptible: "
	    "output: string-limit: summary-sort-by: summary-columns: "
	    "trace: trace-path: user: abbrev: argv0: decode-pids: fault: "
	    "inject: kvm: raw: read: reads: signal: signals: status: "
	    "strings-in-hex: verbose: write: writes:", .pipe = "o output" },
	{ "su", WRAP_USER, "c:g:G:s:w:T command: session-command: group: "
	    "supp-group: shell: whitelist-environment:",
	    .option = "c command session-command" },
	{ "su-exec", WRAP_WORDS, "+", .skip = 1 },
	{ "sudo", WRAP_ENV, "+a:C:c:D:g:h:p:R:r:T:t:U:u: login auth-type: "
	    "close-from: login-class: chdir: group: host: prompt: chroot: "
	    "role: command-timeout: type: other-user: user: "
	    "preserve-env::", .moves = "D chdir login",
	    .roots = "R chroot" },
	{ "systemd-cat", WRAP_WORDS, "+t:p: identifier: priority: "
	    "stderr-priority: level-prefix: namespace:" },
	{ "systemd-inhibit", WRAP_WORDS, "+ what: who: why: mode:" },
	{ "systemd-run", WRAP_WORDS, "+E:H:M:p:u: unit: property: "
	    "description: slice: uid: gid: nice: working-directory: "
	    "setenv: on-active: on-boot: on-startup: on-unit-active: "
	    "on-unit-inactive: on-calendar: timer-property: "
	    "path-property: socket-property: service-type: host: "
	    "machine: background:", .moves = "working-directory",
	    .roots = "H M host machine" },
	{ "taskset", WRAP_WORDS, "+", .skip = 1 },
	{ "tcsh", WRAP_SHELL, "+" },
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
	{ "uname26", WRAP_WORDS, "+" },
	{ "unbuffer", WRAP_WORDS, "+" },
	{ "unshare", WRAP_WORDS, "+R:w:S:G:l: root: "
	    "wd: setuid: setgid: load-interp: mount:: uts:: ipc:: net:: "
	    "pid:: user:: cgroup:: time:: propagation: setgroups: "
	    "map-user: map-users: map-group: map-groups: owner: "
	    "kill-child:: mount-proc:: monotonic: boottime:",
	    .moves = "w wd", .roots = "R root" },
	{ "urxvt", WRAP_OPTION, TERMINAL_GRAMMAR, .after = "e" },
	{ "uxterm", WRAP_OPTION, TERMINAL_GRAMMAR, .after = "e" },
	{ "valgrind", WRAP_WORDS, "+" },
	{ "watch", WRAP_STRING, "+n:d::q: interval: differences:: equexit:" },
	{ "x-terminal-emulator", WRAP_OPTION, TERMINAL_GRAMMAR, .after = "e" },
	{ "xargs", WRAP_XARGS, "+a:d:E:e::I:i::L:l::n:P:s: arg-file: "
	    "delimiter: eof:: replace:: max-lines:: max-args: max-procs: "
	    "max-chars: process-slot-var:", .option = "I i replace" },
	{ "xterm", WRAP_OPTION, TERMINAL_GRAMMAR, .after = "e" },
	{ "xvfb-run", WRAP_WORDS, "+e:f:n:p:s:w: error-file: auth-file: "
	    "server-num: xauth-protocol: server-args: wait:" },
	{ "yarn", WRAP_AFTER, "+ cwd:", .after = "exec" },
	{ "yash", WRAP_SHELL, RESOLVE_SHELL_GRAMMAR },
	{ "zsh", WRAP_SHELL, RESOLVE_ZSH_GRAMMAR },
	{ "zsh-static", WRAP_SHELL, RESOLVE_ZSH_GRAMMAR },
};

static const struct code_row codes[] = {
	{ "R", "r", "e:f:g: file:", "e", NULL },
	{ "Rscript", "r", "+e:", "e", NULL },
	{ "awk", "awk", "+f:F:v:e:E:l:i: file: source: field-separator: "
	    "assign: load: include: exec:", "e source",
	    "f file E exec e source" },
	{ "bc", "bc", "e: expression:", "e expression", NULL,
	    .reads_stdin = true },
	{ "bpftrace", "bpftrace", "+e:p:c:f:o:I:B:", "e", NULL },
	{ "bun", "javascript", "e:p: eval: print:", "e p eval print", NULL },
	{ "clisp", "lisp", "+x:i:E:K:M:", "x", NULL },
	{ "dc", "dc", "e:f: expression: file:", "e expression", NULL,
	    .reads_stdin = true },
	{ "deno", "javascript", "", NULL, NULL, "eval" },
	{ "ed", "ed", "p: prompt:", NULL, NULL, .reads_stdin = true },
	{ "emacs", "elisp", "l:f:q eval: execute: load: funcall: insert:",
	    "eval execute", NULL },
	{ "evim", "vim", VIM_GRAMMAR, VIM_CODE, NULL,
	    .reads_stdin = true },
	{ "ex", "vim", VIM_GRAMMAR, VIM_CODE, NULL,
	    .reads_stdin = true },
	{ "expect", "tcl", "+c:f:", "c", NULL },
	{ "gawk", "awk", "+f:F:v:e:E:l:i: file: source: field-separator: "
	    "assign: load: include: exec:", "e source",
	    "f file E exec e source" },
	{ "gdb", "gdb", GDB_GRAMMAR,
	    "ex iex eval-command init-eval-command", NULL,
	    .reads_stdin = true },
	{ "ghc", "haskell", "e:", "e", NULL },
	{ "gimp", "scheme", "b: batch: batch-interpreter:", "b batch", NULL },
	{ "groovy", "java", "e:", "e", NULL },
	{ "gsed", "sed", "e:f:l: expression: file: line-length:",
	    "e expression", "e expression f file" },
	{ "guile", "scheme", "+c:s:l:e:L:C:", "c", NULL },
	{ "gview", "vim", VIM_GRAMMAR, VIM_CODE, NULL,
	    .reads_stdin = true },
	{ "gvim", "vim", VIM_GRAMMAR, VIM_CODE, NULL,
	    .reads_stdin = true },
	{ "irb", "ruby", "+e:r:I:", "e", NULL },
	{ "jrunscript", "java", "~ e: f: l: cp: classpath:", "e", NULL },
	{ "jshell", "java", "R: class-path:", NULL, NULL },
	{ "julia", "julia", "+e:E:p:L:J:C: eval: print: load:",
	    "e E eval print", NULL },
	{ "knife", "ruby", "E: exec:", "E", NULL },
	{ "latex", "tex", "~ output-directory: jobname: fmt: interaction:",
	    NULL, "version help" },
	{ "lua", "lua", "+e:l:", "e", NULL },
	{ "luajit", "lua", "+e:l:b:j:", "e", NULL },
	{ "luatex", "tex", "~ output-directory: jobname: fmt:", NULL,
	    "version help" },
	{ "m4", "m4", "+B:D:F:I:L:R:S:T:U:d::l:o:t: define: undefine: "
	    "include: freeze-state: reload-state: debug:: debugfile: trace: "
	    "error-output: nesting-limit: hashsize: arglength:", NULL, NULL,
	    .reads_stdin = true },
	{ "mariadb", "sql", "e:h:u:D:P:S:p:: execute: init-command: host: "
	    "user: database: port: socket: password:: pager:: tee:",
	    "e execute init-command", NULL, .reads_stdin = true },
	{ "mawk", "awk", "+f:F:v:W:", NULL, "f file" },
	{ "mongo", "javascript", "u:p: eval: username: password: host: port:",
	    "eval", NULL, .reads_stdin = true },
	{ "mongosh", "javascript", "u:p: eval: username: password: host: port:",
	    "eval", NULL },
	{ "mysql", "sql", "e:h:u:D:P:S:p:: execute: init-command: host: "
	    "user: database: port: socket: password:: pager:: tee:",
	    "e execute init-command", NULL, .reads_stdin = true },
	{ "nawk", "awk", "+f:F:v:", NULL, "f" },
	{ "node", "javascript", NODE_GRAMMAR, NODE_CODE, NULL },
	{ "nodejs", "javascript", NODE_GRAMMAR, NODE_CODE, NULL },
	{ "nvim", "vim", VIM_GRAMMAR, VIM_CODE, NULL, .reads_stdin = true },
	{ "octave", "octave", "+ eval:", "eval", NULL },
	{ "pdflatex", "tex", "~ output-directory: jobname: fmt:", NULL,
	    "version help" },
	{ "pdftex", "tex", "~ output-directory: jobname: fmt:", NULL,
	    "version help" },
	{ "perl", "perl", "+e:E:I:m::M::D::V::i::x::F::", "e E", NULL },
	{ "php", "php", "+r:R:B:E:F:d:c:f:S:t:z: run: process-code: "
	    "process-begin: process-end: define: php-ini: file: server: "
	    "docroot: process-file:",
	    "r R B E run process-code process-begin process-end", NULL },
	{ "psql", "sql", "c:f:h:U:d:p:o:v:L:F:P:R:T: command: file: host: "
	    "username: dbname: port: output: set: variable: log-file: "
	    "field-separator: record-separator: pset: table-attr:",
	    "c command", NULL, .reads_stdin = true },
	{ "puppet", "puppet", "e: execute:", "e execute", NULL },
	{ "pypy", "python", "+c:m:W:X:", "c", NULL },
	{ "python", "python", "+c:m:W:X: check-hash-based-pycs:", "c", NULL },
	{ "r", "r", "e:f:g: file: args", "e", NULL },
	{ "racket", "scheme", "+e:f:t:l:r:p:", "e", NULL },
	{ "ruby", "ruby", "+e:C:E:F::I:K::r:i::x::T::W:: encoding: enable: "
	    "disable:",
	    "e", NULL },
	{ "rview", "vim", VIM_GRAMMAR, VIM_CODE, NULL,
	    .reads_stdin = true },
	{ "rvim", "vim", VIM_GRAMMAR, VIM_CODE, NULL,
	    .reads_stdin = true },
	{ "sed", "sed", "e:f:l:E expression: file: line-length:",
	    "e expression", "e expression f file" },
	{ "sqlite3", "sql", "~ cmd: init: separator: nullvalue: newline: vfs: "
	    "maxsize: mmap: nonce: lookaside:", "cmd", NULL, .operand = 2,
	    .reads_stdin = true },
	{ "tclsh", "tcl", "+", NULL, NULL },
	{ "tex", "tex", "~ output-directory: jobname: fmt:", NULL,
	    "version help" },
	{ "vi", "vim", VIM_GRAMMAR, VIM_CODE, NULL,
	    .reads_stdin = true },
	{ "view", "vim", VIM_GRAMMAR, VIM_CODE, NULL,
	    .reads_stdin = true },
	{ "vim", "vim", VIM_GRAMMAR, VIM_CODE, NULL,
	    .reads_stdin = true },
	{ "vimdiff", "vim", VIM_GRAMMAR, VIM_CODE, NULL,
	    .reads_stdin = true },
	{ "vimx", "vim", VIM_GRAMMAR, VIM_CODE, NULL,
	    .reads_stdin = true },
	{ "xelatex", "tex", "~ output-directory: jobname: fmt:", NULL,
	    "version help" },
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

static const void *
find_name(const void *rows, size_t n, size_t size, const char *name)
{
	size_t len = strlen(name);
	const void *row = find_row(rows, n, size, name, len);

	if (row == NULL && (len = without_version(name)) > 0)
		row = find_row(rows, n, size, name, len);
	return row;
}

const struct wrap_row *
resolve_wrap_row(const char *name)
{
	if (strncmp(name, "ld-linux", 8) == 0 ||
	    strncmp(name, "ld-musl", 7) == 0)
		name = "ld.so";
	return find_name(wraps, AEG_NELEM(wraps), sizeof wraps[0], name);
}

const struct code_row *
resolve_code_row(const char *name)
{
	return find_name(codes, AEG_NELEM(codes), sizeof codes[0], name);
}

/* For the test: the tables are in order. */
const char *
resolve_table_unsorted(void)
{
	size_t i;

	for (i = 1; i < AEG_NELEM(wraps); i++)
		if (strcmp(wraps[i - 1].name, wraps[i].name) >= 0)
			return wraps[i].name;
	for (i = 1; i < AEG_NELEM(codes); i++)
		if (strcmp(codes[i - 1].name, codes[i].name) >= 0)
			return codes[i].name;
	return NULL;
}
