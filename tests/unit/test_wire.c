/* SPDX-License-Identifier: ISC */
#include "aegsh/wire.h"
#include "tap.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include "aegsh/base/clock.h"
#include "aegsh/base/io.h"
#include "wire/wire_int.h"

static int fds[2];

static void
fresh(void)
{
	io_close(&fds[0]);
	io_close(&fds[1]);
	if (wire_pair(fds, NULL) != 0)
		exit(1);
}

static int
count_fds(void)
{
	int fd, n = 0;

	for (fd = 0; fd < 256; fd++)
		n += fcntl(fd, F_GETFD) >= 0;
	return n;
}

static void
test_round_trip(void)
{
	struct wire_msg m = WIRE_MSG_INIT, got = WIRE_MSG_INIT;
	char big[WIRE_BODY_MAX];
	int p[2], before;

	fresh();
	OK(fcntl(fds[0], F_GETFD) == FD_CLOEXEC &&
	    fcntl(fds[1], F_GETFD) == FD_CLOEXEC);
	memset(big, 'x', sizeof big);
	m.type = 7;
	m.id = 99;
	m.body = big;
	m.len = sizeof big;
	IS_INT(wire_send(fds[0], &m, NULL), 0);
	IS_INT(wire_recv(fds[1], 1000, -1, &got, NULL), 0);
	OK(got.type == 7 && got.id == 99 && got.len == sizeof big &&
	    memcmp(got.body, big, sizeof big) == 0 && got.n_fds == 0 &&
	    got.fds[0] == -1);
	wire_msg_done(&got);
	OK(got.body == NULL && got.owned == NULL);

	before = count_fds();
	OK(pipe(p) == 0);
	m.len = 0;
	m.body = NULL;
	m.fds[0] = p[0];
	m.fds[1] = p[1];
	m.n_fds = 2;
	IS_INT(wire_send(fds[1], &m, NULL), 0);
	IS_INT(wire_recv(fds[0], -1, -1, &got, NULL), 0);
	OK(got.len == 0 && got.n_fds == 2 && got.fds[2] == -1);
	OK(fcntl(got.fds[1], F_GETFD) == FD_CLOEXEC);
	OK(write(got.fds[1], "!", 1) == 1 && read(p[0], big, 1) == 1);
	wire_msg_done(&m);
	OKF(fcntl(p[0], F_GETFD) >= 0, "descriptors to be sent are borrowed");
	io_close(&p[0]);
	io_close(&p[1]);
	wire_msg_done(&got);
	IS_INTN(count_fds(), before, "descriptors received are owned");
}

static void
test_caps(void)
{
	struct wire_msg m = WIRE_MSG_INIT, got = WIRE_MSG_INIT;
	static char big[WIRE_BODY_MAX + 1];

	fresh();
	m.type = 1;
	m.body = big;
	m.len = sizeof big;
	IS_INT(wire_send(fds[0], &m, NULL), ERR_TOO_LONG);
	m.len = 0;
	m.n_fds = WIRE_FDS_MAX + 1;
	IS_INT(wire_send(fds[0], &m, NULL), ERR_TOO_LONG);
	m.n_fds = 0;
	m.type = 0;
	IS_INT(wire_send(fds[0], &m, NULL), -EINVAL);
	IS_INT(wire_recv(fds[1], 0, -1, &got, NULL), -ETIMEDOUT);
	OK(got.owned == NULL);
}

/* Packets that no wire_send() makes. */
static void
test_hostile(void)
{
	static char big[WIRE_BODY_MAX + sizeof(struct wire_head) + 1];
	static const struct {
		const char *name;
		struct wire_head head;
		size_t size;
		int want;
	} rows[] = {
		{ "shorter than a header", { WIRE_MAGIC, 1, 1, 0 },
		    sizeof(struct wire_head) - 1, ERR_PROTOCOL },
		{ "wrong magic", { 1, 1, 1, 0 }, sizeof(struct wire_head),
		    ERR_PROTOCOL },
		{ "longer than it says", { WIRE_MAGIC, 1, 1, 3 },
		    sizeof(struct wire_head) + 4, ERR_PROTOCOL },
		{ "shorter than it says", { WIRE_MAGIC, 1, 1, 5 },
		    sizeof(struct wire_head) + 4, ERR_PROTOCOL },
		{ "says more than the cap",
		    { WIRE_MAGIC, 1, 1, 0xffffffff },
		    sizeof(struct wire_head) + 4, ERR_TOO_LONG },
		{ "is more than the cap",
		    { WIRE_MAGIC, 1, 1, WIRE_BODY_MAX + 1 }, sizeof big,
		    ERR_TOO_LONG },
		{ "a hello after hello", { WIRE_MAGIC, 0, 0, 0 },
		    sizeof(struct wire_head), ERR_PROTOCOL },
	};
	struct wire_msg got = WIRE_MSG_INIT;
	size_t i;

	for (i = 0; i < AEG_NELEM(rows); i++) {
		fresh();
		memcpy(big, &rows[i].head, sizeof rows[i].head);
		if (send(fds[0], big, rows[i].size, 0) !=
		    (ssize_t)rows[i].size)
			OKF(false, "%s: sent", rows[i].name);
		IS_INTN(wire_recv(fds[1], 1000, -1, &got, NULL), rows[i].want,
		    rows[i].name);
		OKF(got.owned == NULL && got.n_fds == 0,
		    "%s: the result is untouched", rows[i].name);
	}
}

static void
test_too_many_fds(void)
{
	struct wire_head head = { WIRE_MAGIC, 1, 1, 0 };
	struct iovec iov = { &head, sizeof head };
	union {
		char bytes[CMSG_SPACE(sizeof(int) * 40)];
		struct cmsghdr align;
	} control;
	struct msghdr mh = { .msg_iov = &iov, .msg_iovlen = 1,
	    .msg_control = control.bytes,
	    .msg_controllen = sizeof control.bytes };
	struct wire_msg got = WIRE_MSG_INIT;
	struct cmsghdr *c;
	int before, i, fd;

	fresh();
	memset(&control, 0, sizeof control);
	c = CMSG_FIRSTHDR(&mh);
	c->cmsg_level = SOL_SOCKET;
	c->cmsg_type = SCM_RIGHTS;
	c->cmsg_len = CMSG_LEN(sizeof(int) * 40);
	for (i = 0; i < 40; i++) {
		fd = 0;
		memcpy(CMSG_DATA(c) + (size_t)i * sizeof fd, &fd, sizeof fd);
	}
	OK(sendmsg(fds[0], &mh, 0) == sizeof head);
	before = count_fds();
	IS_INT(wire_recv(fds[1], 1000, -1, &got, NULL), ERR_PROTOCOL);
	IS_INTN(count_fds(), before, "none of forty descriptors stays");
}

static void
test_waiting(void)
{
	struct wire_msg m = WIRE_MSG_INIT, got = WIRE_MSG_INIT;
	int64_t t0;
	int p[2], rc, i;

	fresh();
	t0 = clock_mono_ns();
	IS_INT(wire_recv(fds[0], 30, -1, &got, NULL), -ETIMEDOUT);
	OK(clock_mono_ns() - t0 >= 30 * 1000000LL);
	OK(pipe(p) == 0);
	OK(write(p[1], "", 1) == 1);
	m.type = 1;
	IS_INT(wire_send(fds[1], &m, NULL), 0);
	IS_INT(wire_recv(fds[0], -1, p[0], &got, NULL), ERR_CANCELLED);
	IS_INTN(wire_recv(fds[0], -1, -1, &got, NULL), 0,
	    "a cancelled wait loses no frame");
	wire_msg_done(&got);

	fcntl(fds[1], F_SETFL, O_NONBLOCK);
	m.body = "text";
	m.len = 4;
	for (i = 0, rc = 0; i < 100000 && rc == 0; i++)
		rc = wire_send(fds[1], &m, NULL);
	IS_INTN(rc, -EAGAIN, "a peer that does not read holds nobody up");

	fresh();
	io_close(&fds[1]);
	IS_INT(wire_send(fds[0], &m, NULL), -EPIPE);
	IS_INT(wire_recv(fds[0], 1000, -1, &got, NULL), -ENODATA);
	io_close(&p[0]);
	io_close(&p[1]);
}

static void
test_hello(void)
{
	struct wire_greeting g = { .version = WIRE_VERSION + 1,
	    .role = "judge" };
	struct wire_msg m = WIRE_MSG_INIT;
	struct err err = ERR_INIT;

	fresh();
	IS_INT(wire_hello_send(fds[0], "judge", NULL), 0);
	IS_INT(wire_hello(fds[1], "judge", 1000, NULL), 0);
	IS_INT(wire_hello_recv(fds[0], "judge", 1000, -1, NULL), 0);
	IS_INT(wire_hello(fds[1], "judge", 10, NULL), -ETIMEDOUT);

	fresh();
	IS_INT(wire_hello_send(fds[0], "judge", NULL), 0);
	IS_INT(wire_hello(fds[1], "broker", 1000, &err), ERR_PROTOCOL);
	IS_STR(err.text, "the peer is not here for 'broker'");

	fresh();
	m.body = &g;
	m.len = sizeof g;
	IS_INT(wire_put(fds[0], &m, NULL), 0);
	IS_INT(wire_hello(fds[1], "judge", 1000, &err), ERR_PROTOCOL);
	IS_STR(err.text, "the peer speaks version 2 of the protocol, not 1");

	fresh();
	m.type = 5;
	IS_INT(wire_send(fds[0], &m, NULL), 0);
	IS_INT(wire_hello(fds[1], "judge", 1000, NULL), ERR_PROTOCOL);

	IS_INT(wire_hello(fds[0], "a role of more than thirty-one bytes", 0,
	    NULL), -EINVAL);
}

int
main(void)
{
	fds[0] = fds[1] = -1;
	test_round_trip();
	test_caps();
	test_hostile();
	test_too_many_fds();
	test_waiting();
	test_hello();
	return tap_done();
}
