/* SPDX-License-Identifier: ISC */
/* The process with the key, and one for each store. */
#include "admin_signer.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "admin_read.h"
#include "aegsh/base/io.h"

/* A store that its user holds fast is given up after that. */
#define STORE_MS (60 * 1000)

struct hello {			/* of the process with the key */
	int rc;
	unsigned char key[AUDIT_KEY_LEN];
	char text[ERR_TEXT_MAX];
};
struct answer {			/* of the process of a store */
	int rc;
	int is_signed;	/* no bool: its bytes are somebody else's */
	struct audit_head head;
	char text[ERR_TEXT_MAX];
};

/* Whole messages alone. */
static bool
receive(int fd, void *p, size_t size)
{
	ssize_t n;

	do
		n = recv(fd, p, size, 0);
	while (n < 0 && errno == EINTR);
	return n == (ssize_t)size;
}

static bool
transmit(int fd, const void *p, size_t size)
{
	return send(fd, p, size, MSG_NOSIGNAL) == (ssize_t)size;
}

static void
reap(pid_t pid)
{
	while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
}

/* ---- the key ------------------------------------------------------------ */

static void __attribute__((noreturn))
serve(struct admin *a, int fd)
{
	unsigned char secret[AUDIT_KEY_LEN] = { 0 };
	struct hello hello = { .rc = 0 };
	struct audit_signature s;
	struct err err = ERR_INIT;
	struct audit_head h;

	hello.rc = audit_key_load(false, false, secret, &err);
	memcpy(hello.text, err.text, sizeof hello.text);
	if (hello.rc == 0)
		audit_key_public(secret, hello.key);
	admin_confine(a);
	if (transmit(fd, &hello, sizeof hello) && hello.rc == 0) {
		while (receive(fd, &h, sizeof h)) {
			audit_head_sign(&h, secret, &s);
			if (!transmit(fd, &s, sizeof s))
				break;
		}
	}
	explicit_bzero(secret, sizeof secret);
	_exit(0);
}

/* Those of the keys before this one are known by their public halves. */
static int
take_keys(struct admin_signer *s, const unsigned char ours[AUDIT_KEY_LEN],
    struct err *err)
{
	struct audit_keys known = { .n = 0 };
	int rc = audit_keys_read(NULL, &known, err);
	size_t i;

	if (rc < 0)
		return rc;
	memcpy(s->keys.keys[0], ours, AUDIT_KEY_LEN);
	s->keys.n = 1;
	for (i = 0; i < known.n && s->keys.n < AUDIT_KEYS_MAX; i++) {
		if (memcmp(known.keys[i], ours, AUDIT_KEY_LEN) != 0)
			memcpy(s->keys.keys[s->keys.n++], known.keys[i],
			    AUDIT_KEY_LEN);
	}
	return 0;
}

int
admin_signer_start(struct admin *a, struct admin_signer *s, struct err *err)
{
	struct hello hello;
	int ends[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) < 0)
		return err_sys(err, errno, "socketpair");
	fflush(a->out);
	s->pid = fork();
	if (s->pid == 0) {
		io_close(&ends[0]);
		serve(a, ends[1]);
	}
	io_close(&ends[1]);
	s->fd = ends[0];
	if (s->pid < 0)
		return err_sys(err, errno, "fork");
	if (!receive(s->fd, &hello, sizeof hello))
		return err_set(err, ERR_PROTOCOL, "the process with the key "
		    "has ended");
	hello.text[sizeof hello.text - 1] = '\0';
	if (hello.rc < 0)
		return err_set(err, hello.rc, "%s", hello.text);
	return take_keys(s, hello.key, err);
}

int
admin_signer_sign(struct admin_signer *s, const struct audit_head *h,
    struct audit_signature *ret, struct err *err)
{
	if (!transmit(s->fd, h, sizeof *h) || !receive(s->fd, ret,
	    sizeof *ret) || !audit_head_signed(h, ret))
		return err_set(err, ERR_PROTOCOL, "the process with the key "
		    "has ended");
	return 0;
}

void
admin_signer_done(struct admin_signer *s)
{
	io_close(&s->fd);
	if (s->pid > 0)
		reap(s->pid);
	s->pid = -1;
}

/* ---- a store ------------------------------------------------------------ */

static bool
tell(int fd, int rc, const struct err *err, struct answer *answer)
{
	answer->rc = rc;
	memcpy(answer->text, err->text, sizeof answer->text);
	return transmit(fd, answer, sizeof *answer);
}

static void __attribute__((noreturn))
seal_one(struct admin *a, const char *user, const struct audit_head *seen,
    const struct audit_keys *keys, int fd)
{
	struct answer answer = { .rc = 0 };
	struct audit_signature s;
	struct audit *store = NULL;
	struct err err = ERR_INIT;
	bool is_signed = false;
	int rc = admin_read_quietly(a, user, true, &store, &err);

	if (rc == 0)
		rc = audit_seal(store, seen, keys, &answer.head, &is_signed,
		    &err);
	answer.is_signed = is_signed;
	if (tell(fd, rc, &err, &answer) && rc == 0 &&
	    receive(fd, &s, sizeof s)) {
		rc = audit_seal_keep(store, &answer.head, &s, &err);
		tell(fd, rc, &err, &answer);
	}
	audit_close(store);
	_exit(0);
}

static int
hear(int fd, struct answer *ret, struct err *err)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };
	int n = poll(&p, 1, STORE_MS);

	if (n == 0)
		return err_set(err, ERR_STORE, "its store did not answer for "
		    "a minute");
	if (n < 0 || !receive(fd, ret, sizeof *ret))
		return err_set(err, ERR_PROTOCOL, "its reader has ended");
	ret->text[sizeof ret->text - 1] = '\0';
	return ret->rc < 0 ? err_set(err, ret->rc, "%s", ret->text) : 0;
}

static bool
is_seen(const struct audit_head *h, const struct audit_head *seen)
{
	return seen != NULL && h->seq == seen->seq && memcmp(h->store,
	    seen->store, sizeof h->store) == 0;
}

/* The reader looked already whether this head follows the one that was
 * signed last; but it reads what the user wrote, with the user's rights, and
 * may be theirs by now. */
static int
talk(struct admin_signer *s, int fd, const struct audit_head *seen,
    int (*keep)(void *ctx, const struct admin_sealed *sealed,
    struct err *err), void *ctx, struct admin_sealed *ret, struct err *err)
{
	struct answer answer;
	int rc = hear(fd, &answer, err);

	if (rc == 0)
		rc = audit_head_follows(&answer.head, seen, err);
	if (rc < 0)
		return rc;
	ret->head = answer.head;
	if (answer.head.seq <= 0 || (answer.is_signed != 0 &&
	    is_seen(&answer.head, seen)))
		return 0;
	rc = admin_signer_sign(s, &ret->head, &ret->signature, err);
	ret->fresh = rc == 0;
	if (rc == 0)
		rc = keep(ctx, ret, err);
	if (rc == 0 && !transmit(fd, &ret->signature, sizeof ret->signature))
		rc = err_set(err, ERR_PROTOCOL, "its reader has ended");
	return rc < 0 ? rc : hear(fd, &answer, err);
}

int
admin_signer_seal(struct admin *a, struct admin_signer *s, const char *user,
    const struct audit_head *seen, int (*keep)(void *ctx,
    const struct admin_sealed *sealed, struct err *err), void *ctx,
    struct admin_sealed *ret, struct err *err)
{
	int ends[2], status, rc;
	pid_t pid;

	*ret = (struct admin_sealed){ .fresh = false };
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) < 0)
		return err_sys(err, errno, "socketpair");
	fflush(a->out);
	pid = fork();
	if (pid == 0) {
		io_close(&ends[0]);
		io_close(&s->fd);
		seal_one(a, user, seen, &s->keys, ends[1]);
	}
	io_close(&ends[1]);
	rc = pid < 0 ? err_sys(err, errno, "fork") :
	    talk(s, ends[0], seen, keep, ctx, ret, err);
	io_close(&ends[0]);
	if (pid > 0) {
		/* Of no use any more, whatever holds it up. */
		if (rc < 0)
			kill(pid, SIGKILL);
		admin_reap(pid, &status);
	}
	return rc;
}
