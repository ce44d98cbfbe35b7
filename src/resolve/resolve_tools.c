/* SPDX-License-Identifier: ISC */
/*
 * The table of tools that start other programs: of developers (builders,
 * environments, profilers) and of those who run machines (containers,
 * clusters, guests, other hosts); one row each, from their manual pages, in
 * byte order of the name.
 */
#include "resolve_int.h"

#define CONTAINER_GRAMMAR "+a:e:h:l:m:p:u:v:w:c:H:f: add-host: annotation: " \
	"attach: blkio-weight: cap-add: cap-drop: cgroup-parent: cgroupns: " \
	"cidfile: config: context: cpu-period: cpu-quota: cpu-shares: cpus: " \
	"cpuset-cpus: cpuset-mems: detach-keys: device: dns: dns-option: " \
	"dns-search: domainname: entrypoint: env: env-file: expose: file: " \
	"gpus: group-add: health-cmd: host: hostname: index: ip: ip6: ipc: " \
	"isolation: label: label-file: link: log-driver: log-level: " \
	"log-opt: mac-address: memory: memory-reservation: memory-swap: " \
	"mount: name: net: network: network-alias: oom-score-adj: pid: " \
	"pids-limit: platform: profile: project-directory: project-name: " \
	"publish: pull: restart: root: runroot: runtime: security-opt: " \
	"shm-size: stop-signal: stop-timeout: storage-driver: storage-opt: " \
	"sysctl: tmpfs: ulimit: url: user: userns: uts: volume: " \
	"volume-driver: volumes-from: workdir: pod: pod-id-file: uidmap: " \
	"gidmap: subuidname: subgidname: arch: os: variant: authfile: " \
	"creds: cgroup-conf: chrootdirs: conmon-pidfile: decryption-key: " \
	"env-merge: group-entry: hostuser: init-path: pidfile: " \
	"preserve-fd: preserve-fds: rdt-class: requires: secret: " \
	"seccomp-policy: systemd: timeout: tz: umask: unsetenv: " \
	"connection: identity: ssh: tag: health-interval: " \
	"health-retries: health-start-period: health-timeout: " \
	"device-cgroup-rule: device-read-bps: device-write-bps: " \
	"device-read-iops: device-write-iops: kernel-memory: " \
	"memory-swappiness: dns-opt: cpu-rt-period: cpu-rt-runtime: " \
	"blkio-weight-device: tls-verify:: tlscacert: tlscert: tlskey:"
#define KUBE_GRAMMAR "c:f:n:s: as: as-group: cluster: container: context: " \
	"copy-to: env: filename: image: image-pull-policy: kubeconfig: " \
	"labels: limits: namespace: overrides: pod-running-timeout: port: " \
	"profile: request-timeout: requests: restart: server: target: " \
	"token: user:"
#define MPI_GRAMMAR "~ n: np: N: c: x: H: host: hosts: hostfile: " \
	"machinefile: f: wdir: wd: map-by: bind-to: rank-by: mca: env: " \
	"genv: ppn: perhost: configfile: output-filename: tune:"
#define SLURM_GRAMMAR "+A:b:c:C:d:D:e:i:J:L:m:M:n:N:o:p:q:r:t:T:w:W:x: " \
	"account: begin: cpus-per-task: constraint: dependency: chdir: " \
	"error: export: gres: input: job-name: licenses: distribution: " \
	"clusters: cpu-bind: mem: mem-per-cpu: mpi: ntasks: " \
	"ntasks-per-node: nodes: output: partition: qos: relative: " \
	"reservation: signal: time: threads: nodelist: wait: exclude:"
#define SLURM_WRAP_GRAMMAR "A:b:c:C:d:D:e:i:J:n:N:o:p:q:t:w:x: wrap: " \
	"account: array: begin: chdir: constraint: dependency: error: " \
	"job-name: mail-type: mail-user: mem: nodes: ntasks: output: " \
	"partition: qos: time:"
#define LXC_GRAMMAR "+n:a:f:g:o:P:R:s:u:v:p:L:l:c:C name: arch: define: " \
	"keep-var: set-var: lxcpath: logfile: logpriority: namespaces: " \
	"rcfile: pty-log: console: pidfile: uid: gid:"
#define PSSH_GRAMMAR "+h:H:l:p:o:e:t:O:x:X:g: hosts: host: user: par: " \
	"outdir: errdir: timeout: option: extra-args: extra-arg:"

static const struct wrap_row tools[] = {
	{ "apptainer", WRAP_AFTER, "+B:H:S:W:o:c: add-caps: app: "
	    "apply-cgroups: bind: dns: drop-caps: env: env-file: fusemount: "
	    "home: hostname: mount: network: network-args: overlay: pwd: "
	    "scratch: security: workdir:", .after = "exec run", .skip = 1,
	    .elsewhere = true },
	{ "asdf", WRAP_AFTER, "+", .after = "exec" },
	{ "aws-vault", WRAP_AFTER, "d: duration: prompt: region: backend:",
	    .after = "exec", .skip = 1 },
	{ "bazel", WRAP_OPTION, " run_under: config: define:",
	    .option = "run_under", .appends = true },
	{ "bpftrace", WRAP_OPTION, "+e:p:c:f:o:I:B:", .option = "c" },
	{ "bsub", WRAP_STRING, "+q:n:o:e:J:R:W:m:P:w:M:u:G:i:L:E:Ep:cwd:",
	    .elsewhere = true },
	{ "buildah", WRAP_AFTER, "+e:h:m:u:v: add-history cap-add: "
	    "cap-drop: env: hostname: isolation: mount: network: root: "
	    "runroot: runtime: storage-driver: user: volume: workingdir:",
	    .after = "run", .skip = 1, .elsewhere = true },
	{ "bundle", WRAP_AFTER, "", .after = "exec" },
	{ "cargo", WRAP_AFTER, "x:w:i:d:s:C:Z: exec: watch: shell: ignore: "
	    "delay: config: color: manifest-path: target-dir:",
	    .after = "watch", .option = "s shell" },
	{ "chamber", WRAP_AFTER, "b:r: backend: retries:", .after = "exec",
	    .skip = 1 },
	{ "clush", WRAP_STRING, "+w:g:x:X:l:f:t:u:o:O:M: nodes: group: "
	    "exclude: user: fanout: connect_timeout: command_timeout: "
	    "options: option: mode:", .elsewhere = true },
	{ "cmake", WRAP_OPTION, "+C:D:U:G:T:A:S:B:P:", .after = "E" },
	{ "composer", WRAP_AFTER, "d: working-dir:", .after = "exec" },
	{ "conda", WRAP_AFTER, "+n:p: name: prefix: cwd:", .after = "run" },
	{ "condor_run", WRAP_STRING, "+a:u:", .elsewhere = true },
	{ "consul", WRAP_AFTER, "~ node: service: tag: http-addr: token: "
	    "datacenter: wait:", .after = "exec", .joins = true,
	    .elsewhere = true },
	{ "crictl", WRAP_AFTER, "+r:i:c:t: runtime-endpoint: "
	    "image-endpoint: timeout: config:", .after = "exec", .skip = 1,
	    .elsewhere = true },
	{ "ctr", WRAP_AFTER, "+a:n: address: namespace: mount: env: "
	    "env-file: cwd: snapshotter: runtime: platform: label: user: "
	    "pid-file: config: device: gpus:", .after = "run", .skip = 2,
	    .elsewhere = true },
	{ "direnv", WRAP_AFTER, "", .after = "exec", .skip = 1 },
	{ "distrobox", WRAP_AFTER, "n:e:a: name: additional-flags: exec:",
	    .after = "enter", .skip = 1, .elsewhere = true },
	{ "distrobox-enter", WRAP_WORDS, "+n:a: name: additional-flags:",
	    .skip = 1, .elsewhere = true },
	{ "distrobox-host-exec", WRAP_WORDS, "+" },
	{ "docker", WRAP_AFTER, CONTAINER_GRAMMAR, .after = "run exec",
	    .skip = 1, .option = "health-cmd",
	    MORE(.entry = "entrypoint"), .elsewhere = true },
	{ "docker-compose", WRAP_AFTER, CONTAINER_GRAMMAR, .after = "run exec",
	    .skip = 1, MORE(.entry = "entrypoint"), .elsewhere = true },
	{ "doppler", WRAP_AFTER, "p:c:t: project: config: token: command: "
	    "scope:", .after = "run", .option = "command" },
	{ "dotenv", WRAP_WORDS, "+f:e:p:o:c: file:", .after = "run" },
	{ "dsh", WRAP_STRING, "+m:g:r:n:f:F:o:t: machine: group: "
	    "remoteshell: forklimit: file: num-topology: remoteshellopt:",
	    .elsewhere = true },
	{ "envchain", WRAP_WORDS, "+", .skip = 1 },
	{ "envconsul", WRAP_WORDS, "~ prefix: config: secret: consul-addr: "
	    "vault-addr: exec: log-level:", .option = "exec" },
	{ "etcdctl", WRAP_AFTER, " endpoints: cacert: cert: key: user: ttl:",
	    .after = "exec-watch lock", .skip = 1 },
	{ "flatpak-spawn", WRAP_WORDS, "+", .elsewhere = true },
	{ "fly", WRAP_OPTION, "C:a:c:s: command: app: config:",
	    .option = "C command", .elsewhere = true },
	{ "flyctl", WRAP_OPTION, "C:a:c:s: command: app: config:",
	    .option = "C command", .elsewhere = true },
	{ "gcloud", WRAP_OPTION, " command: ssh-flag: zone: project: "
	    "account:", .option = "command", .elsewhere = true },
	{ "go", WRAP_OPTION, "~ exec: toolexec: vettool: o: p: run: C: mod: "
	    "modfile: tags: ldflags: gcflags: asmflags: overlay: pkgdir: "
	    "timeout: count: bench: coverprofile: cpu: list: parallel: args",
	    .option = "exec toolexec vettool", .appends = true },
	{ "gprofng", WRAP_AFTER, "+p:h:o:d:t:n:F:O:", .after = "app" },
	{ "hatch", WRAP_AFTER, "+e: env: project: data-dir: cache-dir: "
	    "config:", .after = "run", .joins = true },
	{ "heaptrack", WRAP_WORDS, "+o:p: output: pid:" },
	{ "heroku", WRAP_AFTER, "+a:s:e:r: app: size: env: remote: type:",
	    .after = "run", .joins = true, .elsewhere = true },
	{ "hg", WRAP_OPTION, "R:r:u:b: ssh: remotecmd: command: cwd: "
	    "repository: config: rev: tool:",
	    .option = "ssh remotecmd command", .appends = true },
	{ "hyperfine", WRAP_EACH, "w:m:M:r:s:p:c:S:i:n:u:L:P:D:C: warmup: "
	    "min-runs: max-runs: runs: setup: prepare: conclude: cleanup: "
	    "shell: style: sort: time-unit: export-json: export-markdown: "
	    "export-csv: export-asciidoc: export-orgmode: command-name: "
	    "parameter-list: parameter-scan: parameter-step-size: "
	    "reference: input: output:",
	    .option = "s setup p prepare c cleanup C conclude reference",
	    MORE(.pairs = "L parameter-list") },
	{ "incus", WRAP_AFTER, "T:t: env: cwd: user: group: mode: project:",
	    .after = "exec", .skip = 1, .elsewhere = true },
	{ "java", WRAP_OPTION, "~",
	    .option = "XX:OnError XX:OnOutOfMemoryError" },
	{ "k3s", WRAP_WORDS, "+" },
	{ "kcov", WRAP_WORDS, "+", .skip = 1 },
	{ "kubectl", WRAP_AFTER, KUBE_GRAMMAR, .after = "exec run debug",
	    .skip = 1, .elsewhere = true },
	{ "lxc", WRAP_AFTER, "T:t: env: cwd: user: group: mode: project:",
	    .after = "exec", .skip = 1, .elsewhere = true },
	{ "lxc-attach", WRAP_WORDS, LXC_GRAMMAR, .elsewhere = true },
	{ "lxc-execute", WRAP_WORDS, LXC_GRAMMAR, .elsewhere = true },
	{ "lxc-start", WRAP_WORDS, LXC_GRAMMAR, .elsewhere = true },
	{ "lxc-unshare", WRAP_WORDS, "+s:u:H:i: namespaces: user: hostname: "
	    "ifname:", .elsewhere = true },
	{ "machinectl", WRAP_AFTER, "+E:H:M:p: setenv: uid: host: machine: "
	    "property:", .after = "shell", .skip = 1, .elsewhere = true },
	{ "mamba", WRAP_AFTER, "+n:p: name: prefix: cwd:", .after = "run" },
	{ "meson", WRAP_AFTER, "+C:D:t: wrap: wrapper: gdb-path: workdir: "
	    "suite: setup: native-file: cross-file: prefix: buildtype:",
	    .after = "devenv", .option = "wrap wrapper" },
	{ "microk8s", WRAP_WORDS, "+" },
	{ "micromamba", WRAP_AFTER, "+n:p:r: name: prefix: root-prefix: cwd:",
	    .after = "run" },
	{ "mise", WRAP_AFTER, "C:c: cd: command: jobs: env:",
	    .after = "exec x", .option = "c command" },
	{ "mpiexec", WRAP_WORDS, MPI_GRAMMAR, MORE(.pairs = "mca env genv") },
	{ "mpirun", WRAP_WORDS, MPI_GRAMMAR, MORE(.pairs = "mca env genv") },
	{ "multipass", WRAP_AFTER, "d: working-directory:", .after = "exec",
	    .skip = 1, .elsewhere = true },
	{ "nerdctl", WRAP_AFTER, CONTAINER_GRAMMAR, .after = "run exec",
	    .skip = 1, .option = "health-cmd",
	    MORE(.entry = "entrypoint"), .elsewhere = true },
	{ "nix", WRAP_OPTION, "I:f:k:u: include: file: arg: argstr: option: "
	    "keep: unset:", .after = "c command" },
	{ "nix-shell", WRAP_OPTION, "p:E:A:I:i: run: command: arg: argstr: "
	    "attr: packages: expr: keep: include: option:",
	    .option = "run command" },
	{ "nodemon", WRAP_OPTION, "x:e:w:i:d: exec: ext: watch: ignore: "
	    "delay: signal: config:", .option = "x exec" },
	{ "nomad", WRAP_AFTER, "~ i t e: task: job: address: region: "
	    "namespace: token:", .after = "exec", .skip = 1, .elsewhere = true
	    },
	{ "npm", WRAP_AFTER, "+c: call: package: workspace: prefix:",
	    .after = "exec x", .option = "c call", .fetches = true },
	{ "npx", WRAP_WORDS, "+c:p:w: call: package: workspace:",
	    .option = "c call", .fetches = true },
	{ "oc", WRAP_AFTER, KUBE_GRAMMAR, .after = "exec run debug rsh",
	    .skip = 1, .elsewhere = true },
	{ "ocount", WRAP_WORDS, "+e:o:s:t:i:p:r:f:C: events: output-file:" },
	{ "op", WRAP_AFTER, " env-file: account: config: session:",
	    .after = "run" },
	{ "operf", WRAP_WORDS, "+e:d:l:k:p:s: events: session-dir: vmlinux: "
	    "pid: callgraph separate-thread" },
	{ "parallel-ssh", WRAP_STRING, PSSH_GRAMMAR, .elsewhere = true },
	{ "pdm", WRAP_AFTER, "+p: project: env-file:", .after = "run" },
	{ "pdsh", WRAP_STRING, "+w:x:l:t:u:f:R:g:X:M:", .elsewhere = true },
	{ "perf", WRAP_AFTER, "+e:o:p:t:r:x:C:G:I:D:F:c:m:k:u: event: "
	    "output: pid: tid: repeat: field-separator: cpu: cgroup: "
	    "interval-print: delay: freq: count: mmap-pages: clockid: "
	    "call-graph: uid: pre: post: filter: timeout: control: "
	    "max-size: expr: metrics: type: ldlat: graph-funcs: tracer: "
	    "trace-funcs: debug: exec-path: objdump: addr2line:",
	    .after = "record trace ftrace stat",
	    .option = "pre post objdump addr2line" },
	{ "pipenv", WRAP_AFTER, "", .after = "run" },
	{ "pnpm", WRAP_AFTER, "+C:c:F: dir: filter: package:",
	    .after = "exec dlx", .fetches = true },
	{ "podman", WRAP_AFTER, CONTAINER_GRAMMAR, .after = "run exec",
	    .skip = 1, .option = "health-cmd",
	    MORE(.entry = "entrypoint"), .elsewhere = true },
	{ "poetry", WRAP_AFTER, "+C:P: directory: project:", .after = "run" },
	{ "poop", WRAP_EACH, "d: duration:" },
	{ "pssh", WRAP_STRING, PSSH_GRAMMAR, .elsewhere = true },
	{ "pyenv", WRAP_AFTER, "+", .after = "exec" },
	{ "rbenv", WRAP_AFTER, "+", .after = "exec" },
	{ "reflex", WRAP_WORDS, "+r:R:g:G:c:d:t: regex: inverse-regex: "
	    "glob: inverse-glob: config: decoration: shutdown-timeout:" },
	{ "rr", WRAP_WORDS, "+c:n:o:p:t:v: output-trace-dir: env: "
	    "resource-path:", .after = "record" },
	{ "rustup", WRAP_AFTER, "+", .after = "run", .skip = 1 },
	{ "rvm", WRAP_AFTER, "+", .after = "do" },
	{ "rye", WRAP_AFTER, "+ pyproject:", .after = "run" },
	{ "salloc", WRAP_WORDS, SLURM_GRAMMAR, .elsewhere = true },
	{ "sbatch", WRAP_OPTION, SLURM_WRAP_GRAMMAR, .option = "wrap" },
	{ "schroot", WRAP_WORDS, "+c:n:s:u:d:o:l: chroot: session-name: "
	    "shell: user: directory: option: config-file:", .elsewhere = true
	    },
	{ "singularity", WRAP_AFTER, "+B:H:S:W:o:c: add-caps: app: "
	    "apply-cgroups: bind: dns: drop-caps: env: env-file: fusemount: "
	    "home: hostname: mount: network: network-args: overlay: pwd: "
	    "scratch: security: workdir:", .after = "exec run", .skip = 1,
	    .elsewhere = true },
	{ "sops", WRAP_AFTER, "a:p:k: config: input-type: output-type: "
	    "filename: user:", .after = "exec-env exec-file", .skip = 1,
	    .joins = true },
	{ "srun", WRAP_WORDS, SLURM_GRAMMAR, .elsewhere = true },
	{ "stap", WRAP_OPTION, "c:e:x:p:s:o:m:r:B:D:G:I:L:R:S:T:W:d:",
	    .option = "c" },
	{ "svn", WRAP_OPTION, "F:m:r:c:x: editor-cmd: diff-cmd: diff3-cmd: "
	    "merge-cmd: config-option: config-dir: message: file: revision: "
	    "extensions: username: password:",
	    .option = "editor-cmd diff-cmd diff3-cmd merge-cmd",
	    .appends = true },
	{ "systemd-nspawn", WRAP_WORDS, "+D:i:M:S:u:U::Z:L:p:E: oci-bundle: "
	    "directory: template: image: root-hash: machine: hostname: "
	    "uuid: slice: user: property: bind: bind-ro: tmpfs: overlay: "
	    "overlay-ro: setenv: capability: drop-capability: "
	    "network-interface: network-bridge: network-zone: port: chdir: "
	    "pivot-root: kill-signal: rlimit: system-call-filter: "
	    "private-users:: console: settings: link-journal:",
	    .elsewhere = true },
	{ "teller", WRAP_AFTER, "c: config:", .after = "run" },
	{ "toolbox", WRAP_AFTER, "+c:d:r: container: distro: release:",
	    .after = "run", .elsewhere = true },
	{ "tox", WRAP_AFTER, "e:c: workdir: root:", .after = "exec" },
	{ "trace-cmd", WRAP_AFTER, "+e:p:o:b:O:l:f:M:n:g:v:R:r:s:P:B:m:A:C:G:",
	    .after = "record start stream profile" },
	{ "tsh", WRAP_AFTER, "+l:p:i:J:d: user: login: proxy: cluster:",
	    .after = "ssh", .skip = 1, .joins = true, .elsewhere = true },
	{ "uftrace", WRAP_WORDS, "+d:D:F:N:A:R:T:b:C:E:H:L:P:S:U:W:Z:t:k:v: "
	    "data: depth: filter: notrace: argument: retval: trigger: "
	    "buffer: caller: patch: script:", .after = "record live" },
	{ "uv", WRAP_AFTER, "+p:w: python: with: with-editable: "
	    "with-requirements: extra: group: env-file: directory: project: "
	    "package: index: index-url: config-file: cache-dir: color:",
	    .after = "run" },
	{ "vagrant", WRAP_OPTION, "c: command:", .option = "c command",
	    .elsewhere = true },
	{ "watchexec", WRAP_STRING, "+e:w:W:i:f:d:s:E:o:r exts: watch: "
	    "ignore: filter: debounce: signal: env: shell: workdir: "
	    "on-busy-update: project-origin:" },
	{ "when-changed", WRAP_WORDS, "+", .skip = 1, .option = "c" },
	{ "yarn", WRAP_AFTER, "+ cwd:", .after = "exec" },
};

const struct wrap_row *
resolve_tool_row(const char *name)
{
	return resolve_find_row(tools, AEG_NELEM(tools), sizeof tools[0],
	    name);
}

bool
resolve_is_tool(const struct wrap_row *row)
{
	return row >= tools && row < tools + AEG_NELEM(tools);
}

const char *
resolve_tools_unsorted(void)
{
	return resolve_rows_unsorted(tools, AEG_NELEM(tools),
	    sizeof tools[0]);
}
