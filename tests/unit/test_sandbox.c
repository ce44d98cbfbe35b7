/* SPDX-License-Identifier: ISC */
/* Profiles: their text, what it means, what is refused and how that is
 * said. */
#include "aegsh/sandbox.h"
#include "scratch.h"
#include "tap.h"

#include <errno.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "aegsh/base/mem.h"
#include "aegsh/base/path.h"

static struct sandbox_vars vars;
static struct sandbox_profile *p;
static struct err err;

static int
load(const char *name)
{
	sandbox_profile_free(p);
	p = NULL;
	err = (struct err)ERR_INIT;
	return sandbox_load(name, &vars, &p, &err);
}

static int
load_text(const char *text)
{
	scratch_puts("share/sandbox/t.conf", text);
	return load("t");
}

static const struct {
	const char *text;
	int code;
	const char *where, *what;	/* in the message */
} bad[] = {
	{ "read = {\"/\"}\nraed = {\"/\"}\n", ERR_UNKNOWN_NAME, "t.conf:2",
	    "raed" },
	{ "read = {\"/usr\"\n", ERR_SYNTAX, "t.conf:", "" },
	{ "read = {\"usr\"}\n", ERR_SYNTAX, "t.conf:1", "absolute" },
	{ "\n\nread = {\"/a\",\n\"$HOEM\"}\n", ERR_SYNTAX, "t.conf:4",
	    "$HOEM" },
	{ "read = {\"\"}\n", ERR_SYNTAX, "t.conf:1", "empty" },
	{ "read = {\"${HOME}\"}\n", ERR_SYNTAX, "t.conf:1", "environment" },
	{ "# x\n/* read */\n", ERR_SYNTAX, "t.conf:2", "comments" },
	{ "require = {landlok}\n", ERR_UNKNOWN_NAME, "t.conf:1", "landlok" },
	{ "seccomp = lax\n", ERR_UNKNOWN_NAME, "t.conf", "lax" },
	{ "supervise = some\n", ERR_UNKNOWN_NAME, "t.conf", "some" },
	{ "udp = some\n", ERR_UNKNOWN_NAME, "t.conf", "some" },
	{ "unix = some\n", ERR_UNKNOWN_NAME, "t.conf:1", "some" },
	{ "unix = {none, \"/run/x\"}\n", ERR_SYNTAX, "t.conf:1", "alone" },
	{ "unix = {\"/run/$NO\"}\n", ERR_SYNTAX, "t.conf:1", "variable" },
	{ "unix = {\"/run/x\"}\nsupervise = none\n", ERR_RANGE, "t.conf",
	    "supervisor" },
	{ "make = {\"/tmp\"}\nunix = {\"/tmp\"}\n", ERR_RANGE, "t.conf:2",
	    "name a socket" },
	{ "tcp-connect = {80, 65536}\n", ERR_RANGE, "t.conf:1", "65536" },
	{ "tcp-bind = {http}\n", ERR_RANGE, "t.conf:1", "http" },
	{ "limit-cpu = -5\n", ERR_RANGE, "t.conf:1", "limit" },
	{ "limit-cpu = ten\n", ERR_SYNTAX, "t.conf:1", "" },
	{ "\nextends = nothing\n", ERR_UNKNOWN_NAME, "t.conf:2: extends: ",
	    "nothing" },
	{ "extends = \"../t\"\n", ERR_UNKNOWN_NAME, "", "not a name" },
	{ "extends = t\n", ERR_RANGE, "", "extend one another" },
	{ "udp = all extends = t\n", ERR_SYNTAX, "t.conf", "begin a line" },
	{ "extends =\n\"up\"\n", ERR_UNKNOWN_NAME, "", "not a name" },
	{ "extends\n= \"up\"\n", ERR_SYNTAX, "t.conf", "begin a line" },
	/* what may be changed can't be hidden inside */
	{ "make = {\"/\"}\nhide = {\"/etc/shadow\"}\n", ERR_RANGE,
	    "t.conf:2", "/etc/shadow" },
	{ "write = {\"/etc\"}\nhide = {\"/etc/shadow\"}\n", ERR_RANGE,
	    "t.conf:2", "change /etc" },
	{ "device = {\"/dev\"}\nhide = {\"/dev/null\"}\n", ERR_RANGE,
	    "t.conf:2", "/dev" },
};

static void
test_bad(void)
{
	size_t i;

	for (i = 0; i < AEG_NELEM(bad); i++) {
		IS_INT(load_text(bad[i].text), bad[i].code);
		OKF(p == NULL && strstr(err.text, bad[i].where) != NULL &&
		    strstr(err.text, bad[i].what) != NULL, "says: %s",
		    err.text);
	}
	IS_INT(load("no-such"), ERR_CALLER);
	IS_INT(load("../../etc/passwd"), ERR_CALLER);
	IS_INT(load(""), ERR_CALLER);
	scratch_write("share/sandbox/t.conf", "udp\0= all", 9, 0600);
	IS_INTN(load("t"), ERR_SYNTAX, "a NUL in the text");
	scratch_write("share/sandbox/t.conf", "", 0, 0666);
	IS_INTN(load("t"), ERR_TRUST, "others may write the file");
}

static void
test_zero(void)
{
	IS_INTN(load_text(""), 0, "an empty profile");
	IS_INTN(sandbox_rights_at(p, "/"), 0, "grants nothing");
	IS_INTN(sandbox_supervise(p), SANDBOX_SUPERVISE_SCRIPTS,
	    "has the lines supervised that run scripts");
	IS_INTN(sandbox_required(p), SANDBOX_NNP | SANDBOX_LANDLOCK_FS |
	    SANDBOX_LANDLOCK_SCOPE | SANDBOX_LANDLOCK_NET | SANDBOX_SECCOMP |
	    SANDBOX_RLIMITS, "and requires all that needs no privilege");
}

static void
test_rights(void)
{
	IS_INT(load_text("read = {\"/\"}\nhide = {\"/var/lib/x\", \"$STORE\"}\n"
	    "execute = {\"/usr\"}\nwrite = {\"$TMPDIR\", \"$PROJECT\"}\n"
	    "make = {\"$HOME\"}\nrequire = {seccomp}\n"), 0);
	IS_INT(sandbox_rights_at(p, "/etc/passwd"), SANDBOX_READ);
	IS_INT(sandbox_rights_at(p, "/usr/bin/env"),
	    SANDBOX_READ | SANDBOX_EXECUTE);
	IS_INT(sandbox_rights_at(p, "/usrx"), SANDBOX_READ);
	IS_INT(sandbox_rights_at(p, "/var/lib/x/y"), 0);
	IS_INT(sandbox_rights_at(p, "/var/lib/xy"), SANDBOX_READ);
	IS_INT(sandbox_rights_at(p, vars.store), 0);
	IS_INT(sandbox_rights_at(p, vars.home), SANDBOX_READ | SANDBOX_MAKE);
	IS_INT(sandbox_rights_at(p, vars.tmpdir),
	    SANDBOX_READ | SANDBOX_WRITE);
	IS_INTN(sandbox_required(p), SANDBOX_SECCOMP | SANDBOX_NNP,
	    "seccomp requires no_new_privs");
	IS_STR(sandbox_profile_name(p), "t");
	/* The store is hidden though nothing says so. */
	IS_INT(load_text("read = {\"/\"}\n"), 0);
	IS_INT(sandbox_rights_at(p, vars.store), 0);
	/* So is one that does not answer, by its name alone. */
	vars.silent = "/var/tmp/silent";
	IS_INT(load_text("read = {\"/\"}\n"), 0);
	IS_INT(sandbox_rights_at(p, vars.silent), 0);
	IS_INT(sandbox_rights_at(p, "/var/tmp/silently"), SANDBOX_READ);
	vars.silent = NULL;
}

static void
test_explain(void)
{
	struct sandbox_reason r[SANDBOX_REASONS];
	char *path;

	IS_INT(load_text("read = {\"/\"}\nhide = {\"/var/lib/x\"}\n"
	    "execute = {\"/usr\"}\nwrite = {\"$HOME\"}\n"
	    "make = {\"$HOME\"}\nrequire = {seccomp}\n"), 0);
	path = path_canon(vars.home, "a/b");
	sandbox_explain(p, path, r);
	IS_STR(r[0].right, "read");
	OK(r[0].granted && r[1].granted && r[2].granted);
	OK(!r[3].granted && r[3].where == NULL && r[3].why != NULL);
	IS_STR(r[0].key, "read");
	IS_STR(r[0].tree, "/");
	OKF(strstr(r[0].where, "t.conf:1") != NULL, "%s", r[0].where);
	IS_STR(r[2].key, "make");
	IS_STR(r[2].tree, vars.home);
	OKF(strstr(r[2].where, "t.conf:5") != NULL, "%s", r[2].where);
	free(path);
	sandbox_explain(p, "/var/lib/x/y", r);
	OK(!r[0].granted && !r[1].granted);
	IS_STR(r[0].why, "hidden");
	OKF(strstr(r[0].where, "t.conf:2") != NULL, "%s", r[0].where);
	sandbox_explain(p, vars.store, r);
	IS_STR(r[0].why, "hidden: aegsh's own");
	sandbox_explain(p, "/usr/bin/env", r);
	OK(r[3].granted);
	IS_STR(r[3].key, "execute");
}

static void
test_layers_of_text(void)
{
	scratch_puts("share/sandbox/up.conf",
	    "read = {\"/etc\"}\nexecute = {\"/usr\"}\ntcp-connect = {443}\n"
	    "limit-core = 0\n");
	IS_INT(load_text("extends = up\nread += {\"/usr\"}\n"
	    "execute = {\"/bin\"}\n"), 0);
	IS_INTN(sandbox_rights_at(p, "/etc/passwd"), SANDBOX_READ,
	    "what the profile below grants");
	OKF((sandbox_rights_at(p, "/usr/x") & SANDBOX_READ) != 0,
	    "+= adds to it");
	IS_INTN(sandbox_rights_at(p, "/opt"), 0, "and nothing else is there");
	scratch_puts("etc/sandbox.d/t.conf", "read = {\"/proc\"}\n");
	IS_INT(load("t"), 0);
	IS_INTN(sandbox_rights_at(p, "/etc/passwd"), 0,
	    "the operator's = replaces the vendor's");
	IS_INT(sandbox_rights_at(p, "/proc"), SANDBOX_READ);
	scratch_puts("etc/sandbox.d/t.conf", "extends = nothing\n");
	IS_INTN(load("t"), ERR_UNKNOWN_NAME, "the operator's extends counts");
	scratch_puts("etc/sandbox.d/t.conf", "");
	IS_INT(load("t"), 0);
	scratch_puts("etc/sandbox.d/own.conf", "read = {\"/\"}\n");
	IS_INTN(load("own"), 0, "a profile of the operator's alone");
}

static void
test_for_root(void)
{
	uid_t uid = vars.uid;

	scratch_puts("share/sandbox/r.conf", "read = {\"/etc\"}\n");
	vars.uid = 0;
	IS_INT(load_text("for-root = r\n"), 0);
	IS_STR(sandbox_profile_name(p), "r");
	IS_INT(sandbox_rights_at(p, "/etc"), SANDBOX_READ);
	vars.uid = 1234;
	IS_INT(load_text("for-root = r\n"), 0);
	IS_STR(sandbox_profile_name(p), "t");
	vars.uid = uid;
}

static void
test_variables(void)
{
	const char *tmpdir = vars.tmpdir;
	char *uid = xasprintf("/proc/%u/x", (unsigned)vars.uid);

	IS_INT(load_text("read = {\"$HOME/a\", \"$TTY\", "
	    "\"$PROJECT/x\"}\n"), 0);
	IS_INTN(sandbox_rights_at(p, vars.home), 0, "not the tree around it");
	vars.tmpdir = "/etc";
	IS_INT(load_text("write = {\"$TMPDIR\"}\n"), 0);
	if (vars.uid != 0)
		IS_INTN(sandbox_rights_at(p, "/etc"), 0,
		    "TMPDIR is no way to open a tree");
	vars.tmpdir = "/dev";
	IS_INT(load_text("write = {\"$TMPDIR/shm\"}\n"), 0);
	vars.tmpdir = tmpdir;
	free(uid);
}

static bool
prepares(int want, const char *what)
{
	struct sandbox *s = NULL;
	int rc;

	err = (struct err)ERR_INIT;
	rc = sandbox_prepare(p, &s, &err);
	sandbox_free(s);
	return OKF(rc == want && strstr(err.text, what) != NULL,
	    "prepare: %d %s", rc, err.text);
}

static void
test_prepare(void)
{
	struct sandbox_caps caps;

	sandbox_probe(&caps);
	if ((caps.layers & SANDBOX_LANDLOCK_FS) == 0) {
		SKIP(8, "no Landlock");
		return;
	}
	IS_INT(load_text("read = {\"/\"}\nrequire = {landlock}\n"), 0);
	prepares(0, "");
	IS_INT(load_text("write = {\"$HOME\"}\nrequire = {landlock}\n"), 0);
	prepares(0, "");
	/* Settings and store lie below the scratch directory. */
	IS_INT(load_text("make = {\"/\"}\nrequire = {landlock}\n"), 0);
	prepares(ERR_TRUST, "aegsh keeps");
	IS_INT(load_text("write = {\"$STORE/below\", \"$STORE\"}\n"
	    "require = {landlock}\n"), 0);
	prepares(ERR_TRUST, "aegsh keeps");
	IS_INT(load_text("make = {\"$CONF\"}\nrequire = {landlock}\n"), 0);
	prepares(ERR_TRUST, "operator's settings");
	IS_INT(load_text("make = {\"/\"}\ncover-empty = {\"$STORE\"}\n"
	    "cover-readonly = {\"$CONF\"}\nrequire = {landlock}\n"), 0);
	OKF((sandbox_required(p) & SANDBOX_COVER) != 0,
	    "covers are never optional");
	IS_INT(sandbox_rights_at(p, vars.store), 0);
	if ((caps.layers & SANDBOX_COVER) != 0)
		prepares(0, "");
	else
		prepares(ERR_LAYER, "sandbox layer cover");
}

/* Looked up later, the places are what they are at once; until then there are
 * none, and no sandbox. */
static void
test_later(void)
{
	static const char *const at[] = { "/", "/etc/passwd", "/usr/bin/env",
		"/usr/lib/x", "/var/lib/x/y", "/dev/null" };
	const char text[] = "read = {\"/\"}\nhide = {\"/var/lib/x\"}\n"
	    "execute = {\"/usr\"}\nwrite = {\"$TMPDIR\"}\n"
	    "device = {\"/dev/null\"}\nrequire = {seccomp}\n";
	struct sandbox *s = NULL;
	unsigned rights[AEG_NELEM(at)];
	size_t i;

	IS_INT(load_text(text), 0);
	for (i = 0; i < AEG_NELEM(at); i++)
		rights[i] = sandbox_rights_at(p, at[i]);
	vars.later = true;
	IS_INT(load_text(text), 0);
	for (i = 0; i < AEG_NELEM(at); i++)
		IS_INTN(sandbox_rights_at(p, at[i]), 0, at[i]);
	OKF((sandbox_required(p) & SANDBOX_COVER) != 0,
	    "what is to be covered is not known, and may be something");
	IS_INT(sandbox_begin(p, &s, &err), ERR_LAYER);
	OKF(s == NULL && strstr(err.text, "not looked up") != NULL, "%s",
	    err.text);
	IS_INT(sandbox_check(p, NULL), ERR_LAYER);
	IS_INT(sandbox_complete(p, &err), 0);
	IS_INTN(sandbox_complete(p, &err), 0, "once is enough");
	for (i = 0; i < AEG_NELEM(at); i++)
		IS_INTN(sandbox_rights_at(p, at[i]), rights[i], at[i]);
	IS_INT(sandbox_required(p) & SANDBOX_COVER, 0);
	/* Its words are read at once. */
	IS_INT(load_text("read = {\"$HOEM\"}\n"), ERR_SYNTAX);
	IS_INT(load_text("write = {\"/etc\"}\nhide = {\"/etc/shadow\"}\n"),
	    0);
	for (i = 0; i < 2; i++)
		IS_INTN(sandbox_complete(p, &err), ERR_RANGE, err.text);
	IS_INT(sandbox_check(p, NULL), ERR_LAYER);
	IS_INT(sandbox_rights_at(p, "/etc/passwd"), 0);
	vars.later = false;
}

/* Where descriptors run out nothing is granted, and it is said: never less
 * than the text says without a word. */
static void
test_few_descriptors(void)
{
	static const char *const at[] = { "/etc/passwd", "/usr/bin/env",
		"/dev/null", "/var/lib/x" };
	const char text[] = "read = {\"/etc\", \"/var\"}\n"
	    "hide = {\"/var/lib/x\"}\nexecute = {\"/usr\"}\n"
	    "device = {\"/dev/null\"}\n";
	struct rlimit all, few;
	unsigned rights[AEG_NELEM(at)];
	int rc = -1, failed = 0, less = 0;
	size_t i;

	if (getrlimit(RLIMIT_NOFILE, &all) < 0)
		scratch_die("getrlimit");
	vars.once = true;
	IS_INT(load_text(text), 0);
	for (i = 0; i < AEG_NELEM(at); i++)
		rights[i] = sandbox_rights_at(p, at[i]);
	vars.later = true;
	few = all;
	for (few.rlim_cur = 3; rc < 0 && few.rlim_cur < 64; few.rlim_cur++) {
		if (load_text(text) != 0)
			break;
		setrlimit(RLIMIT_NOFILE, &few);
		rc = sandbox_complete(p, &err);
		setrlimit(RLIMIT_NOFILE, &all);
		failed += rc == -EMFILE;
		for (i = 0; i < AEG_NELEM(at); i++)
			less += sandbox_rights_at(p, at[i]) !=
			    (rc == 0 ? rights[i] : 0);
	}
	vars.later = vars.once = false;
	IS_INT(rc, 0);
	IS_INT(less, 0);
	OKF(failed > 1, "%d times there were too few", failed);
}

static void
test_show(void)
{
	AEG_AUTO(buf_done) struct buf out = BUF_INIT;
	static const char *const want[] = {
		"profile         t\n", "read execute    /usr\n",
		"hide            ", "policy-only     ",
		"tcp-connect     22 443",
		"tcp-bind        none", "udp             none",
		"unix            all",
		"limit-cpu       60", "seccomp         strict",
		"refused       ptrace",
	};
	size_t i;

	IS_INT(load_text("read = {\"/usr\"}\nexecute = {\"/usr\"}\n"
	    "make = {\"$HOME\"}\ntcp-connect = {22, 443}\n"
	    "limit-cpu = 60\n"), 0);
	sandbox_show(p, &out);
	for (i = 0; i < AEG_NELEM(want); i++)
		OKF(strstr(out.data, want[i]) != NULL, "shows: %s", want[i]);
	IS_STR(sandbox_layer_name(SANDBOX_LANDLOCK_FS), "landlock");
}

static int
socket_at(const char *path, struct stat *ret)
{
	struct sockaddr_un to = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	snprintf(to.sun_path, sizeof to.sun_path, "%s", path);
	if (bind(fd, (struct sockaddr *)&to, sizeof to) < 0 ||
	    stat(path, ret) < 0)
		return -1;
	return fd;
}

/* A list of sockets: by their names, and where commands may put others, by
 * what was there. */
static void
test_sockets(void)
{
	AEG_AUTO(buf_done) struct buf out = BUF_INIT;
	AEG_AUTOFREE char *path = xasprintf("%s/s", vars.home);
	AEG_AUTOFREE char *text = NULL;
	struct stat st;
	int fd = socket_at(path, &st);

	OKF(fd >= 0, "a socket at %s", path);
	IS_INT(load_text("connect = {\"/\"}\n"), 0);
	OKF(!sandbox_lists_sockets(p), "no list");
	IS_INT(sandbox_may_connect(p, "/x", 1, 2), SANDBOX_REACH_YES);
	IS_INT(load_text("connect = {\"/\"}\nunix = none\n"), 0);
	OKF(!sandbox_lists_sockets(p), "none is no list");
	IS_INT(sandbox_may_connect(p, "/x", 1, 2), SANDBOX_REACH_NO);
	IS_INT(load_text("connect = {\"/\"}\nunix = {}\n"), 0);
	OKF(sandbox_lists_sockets(p), "an empty one");
	IS_INT(sandbox_may_connect(p, "/x", 1, 2), SANDBOX_REACH_OWN);
	IS_INT(load_text("connect = {\"/proc\"}\nread = {\"/\"}\n"
	    "hide = {\"/proc/tty\"}\n"
	    "unix = {\"/proc/sys\", \"/etc\", \"/proc/tty\"}\n"), 0);
	IS_INT(sandbox_may_connect(p, "/proc/sys", 1, 2), SANDBOX_REACH_YES);
	IS_INT(sandbox_may_connect(p, "/proc/sys/x", 1, 2),
	    SANDBOX_REACH_YES);
	IS_INT(sandbox_may_connect(p, "/proc/sysx", 1, 2), SANDBOX_REACH_OWN);
	IS_INTN(sandbox_may_connect(p, "/etc/x", 1, 2), SANDBOX_REACH_NO,
	    "connect is still asked");
	IS_INTN(sandbox_may_connect(p, "/proc/tty/x", 1, 2), SANDBOX_REACH_NO,
	    "and hide");
	text = xasprintf("connect = {\"/\"}\nmake = {\"$HOME\"}\n"
	    "unix = {\"%s\", \"%s/later\", \"$SSH_AUTH_SOCK\"}\n"
	    "tcp-connect = {80}\n", path, vars.home);
	vars.agent = "/etc/passwd";	/* no socket */
	IS_INT(load_text(text), 0);
	vars.agent = NULL;
	IS_INT(sandbox_may_connect(p, path, st.st_dev, st.st_ino),
	    SANDBOX_REACH_YES);
	IS_INTN(sandbox_may_connect(p, path, st.st_dev, st.st_ino + 1),
	    SANDBOX_REACH_OWN, "another in its place");
	free(text);
	text = xasprintf("%s/later", vars.home);
	IS_INTN(sandbox_may_connect(p, text, st.st_dev, st.st_ino),
	    SANDBOX_REACH_OWN, "moved to where none was");
	IS_INT(sandbox_may_connect(p, "/etc/passwd", 1, 2),
	    SANDBOX_REACH_OWN);
	OKF(sandbox_may_connect_tcp(p, 80) && !sandbox_may_connect_tcp(p, 81),
	    "ports");
	sandbox_show(p, &out);
	OKF(strstr(out.data, "as it was when") != NULL &&
	    strstr(out.data, "was not there") != NULL, "shows which");
	close(fd);
	unlink(path);
}

/* The profiles that are shipped can be read and mean what they say. */
static void
test_shipped(void)
{
	static const struct {
		const char *name;
		unsigned home, etc, usr, tmp;
	} want[] = {
		{ "base", 0, SANDBOX_READ, SANDBOX_READ | SANDBOX_EXECUTE, 0 },
		{ "admin", SANDBOX_READ | SANDBOX_WRITE | SANDBOX_MAKE |
		    SANDBOX_EXECUTE, SANDBOX_READ | SANDBOX_EXECUTE,
		    SANDBOX_READ | SANDBOX_EXECUTE,
		    SANDBOX_READ | SANDBOX_WRITE | SANDBOX_MAKE },
		{ "dev", 0, SANDBOX_READ, SANDBOX_READ | SANDBOX_EXECUTE,
		    SANDBOX_READ | SANDBOX_WRITE | SANDBOX_MAKE },
		{ "readonly", SANDBOX_READ, SANDBOX_READ,
		    SANDBOX_READ | SANDBOX_EXECUTE, SANDBOX_READ },
		{ "strict", 0, SANDBOX_READ, SANDBOX_READ | SANDBOX_EXECUTE,
		    0 },
	};
	const char *tmpdir = vars.tmpdir, *home = vars.home;
	const char *store = vars.store;
	uid_t uid = vars.uid;
	size_t i;

	vars.uid = 1234;	/* not for-root */
	vars.tmpdir = NULL;
	vars.home = "/mnt";	/* one that is there and not below /tmp */
	vars.store = "/var/lib/aegsh/1234";
	for (i = 0; i < AEG_NELEM(want); i++) {
		IS_INTN(load(want[i].name), 0, want[i].name);
		if (p == NULL)
			continue;
		IS_INT(sandbox_rights_at(p, "/mnt/x"), want[i].home);
		IS_INT(sandbox_rights_at(p, "/etc/passwd"), want[i].etc);
		IS_INT(sandbox_rights_at(p, "/usr/bin/env"), want[i].usr);
		IS_INT(sandbox_rights_at(p, "/tmp/x"), want[i].tmp);
		IS_INT(sandbox_rights_at(p, vars.store), 0);
	}
	vars.uid = 0;
	IS_INT(load("admin"), 0);
	IS_STR(sandbox_profile_name(p), "root");
	OK((sandbox_required(p) & SANDBOX_COVER) != 0);
	IS_INT(sandbox_rights_at(p, vars.store), 0);
	vars.uid = uid;
	vars.tmpdir = tmpdir;
	vars.home = home;
	vars.store = store;
}

int
main(void)
{
	const char *src = getenv("abs_top_srcdir"), *root = scratch_new();

	setenv("AEGSH_TEST_ROOT", root, 1);
	scratch_mkdir("share", 0755);
	scratch_mkdir("share/sandbox", 0755);
	scratch_mkdir("etc", 0755);
	scratch_mkdir("etc/sandbox.d", 0755);
	scratch_mkdir("home", 0755);
	scratch_mkdir("home/settings", 0755);
	scratch_mkdir("tmp", 0755);
	scratch_mkdir("store", 0700);
	vars.uid = getuid();
	vars.home = scratch_path("home");
	vars.conf_user = scratch_path("home/settings");
	vars.tmpdir = scratch_path("tmp");
	vars.store = scratch_path("store");
	test_bad();
	test_zero();
	test_rights();
	test_explain();
	test_layers_of_text();
	test_for_root();
	test_variables();
	test_prepare();
	test_later();
	test_few_descriptors();
	test_show();
	test_sockets();
	if (src != NULL) {
		char *to = scratch_path("share/sandbox");
		char *copy = xasprintf("cp %s/share/sandbox/*.conf %s/ && "
		    "chmod 644 %s/*", src, to, to);

		OKF(system(copy) == 0, "%s", copy);
		test_shipped();
		free(copy);
		free(to);
	} else {
		SKIP(1, "abs_top_srcdir is not set");
	}
	sandbox_profile_free(p);
	return tap_done();
}
