/* SPDX-License-Identifier: ISC */
/* What the files of supervise share. */
#ifndef AEGSH_SUPERVISE_INT_H
#define AEGSH_SUPERVISE_INT_H

#include "aegsh/supervise.h"

#include <limits.h>
#include <linux/seccomp.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/un.h>

#define SUP_PATH_MAX ((size_t)PATH_MAX)
#define SUP_PAGE ((size_t)4096)	/* no page of any kernel is smaller */
#define SUP_NAMES 3		/* by which one script may be opened */
#define SUP_STATUS_MAX ((size_t)1024 * 1024)	/* with 65536 groups */
#define SUP_WORDS 12		/* that the kernel may put before a script */
#define SUP_SCRIPTS_MAX 256	/* with those of aegshs inside the line */
/* inotify_init1(2) with flags that there are not (EINVAL where nobody
 * listens): a call that hardly a program makes, so that asking about it costs
 * nothing, and that gives a descriptor. */
#define SUP_DOOR_CALL __NR_inotify_init1
#define SUP_DOOR 0x61656773U
#define SUP_DOOR_BROKER 0x61656774U
#define SUP_FRAME_ROOM (192 * 1024)	/* a whole frame of wire fits */
#define SUP_BROKERS_MAX 32	/* requests of one line that are served at a
				 * time … */
#define SUP_WAITING_MAX 1024	/* … or wait for it */
#define SUP_HELPERS_MAX 64	/* that connect for one line at a time … */
#define SUP_WISHES_MAX 1024	/* … or are to come */
#define SUP_QUEUE_MAX ((size_t)8 * 1024 * 1024)	/* reports not taken yet */

/* ---- what the two say to each other ------------------------------------- */

enum sup_kind {
	SUP_NOTHING = 0,
	SUP_IMAGE,		/* a program started: path, argv, said */
	SUP_REFUSED,		/* the same of one that was killed */
	SUP_BROKEN,		/* the line is killed: path holds why */
	SUP_LOST,		/* images were not reported; pid: how many */
	SUP_ENDED,		/* the answer to SUP_END */
	SUP_DONE,		/* nobody is left to be supervised */
	SUP_HELD,		/* the answer to SUP_UNIT and SUP_SYNC; pid: 0
				 * or -errno */
	SUP_END,		/* to it: bash has ended; survivors are kept */
	SUP_NETWORK,		/* an address was wanted: path holds it */
	SUP_LIMITED,		/* a limit was met: path holds which */
	SUP_UNIT,		/* to it: another unit of the line, path its
				 * label, with as many scripts as pid says,
				 * which follow */
	SUP_SCRIPT,		/* to it: path, with its copy; pid: hidden */
	SUP_LET_GO,		/* to it: of the listener … */
	SUP_LISTEN,		/* … for the one of a filter that watches */
	SUP_SYNC,		/* to it: tell all that is to be told; pid:
				 * bash waits for its next unit */
	SUP_OTHER,		/* to it: pid is another line's bash */
};

struct sup_report {
	uint32_t kind;
	int32_t pid, ppid;
	uint32_t path_len, argv_len, said_len;	/* bytes that follow */
	int64_t wall_ns, mono_ns;
	uint64_t start;			/* as the kernel counts it */
};
#define SUP_PACKET_MAX (sizeof(struct sup_report) + SUP_PATH_MAX + \
	SUPERVISE_ARGV_MAX + SUPERVISE_SAID_MAX)
/* What it says comes in packets of several, each after its length as a
 * uint32_t; what it is told comes one by one. */
#define SUP_CHUNK_MAX ((size_t)48 * 1024)

/* ---- supervise_child.c, supervise_attach.c ------------------------------ */

/* The filter that asks about those, and the flags to put it up with: the
 * first or, on an older kernel (EINVAL), the second.  Its length; 0:
 * none for this machine. */
#define SUP_FILTER_MAX 96
struct sock_filter;
size_t sup_filter(uint32_t asks, struct sock_filter *ret,
	unsigned long ret_flags[2]);
/* Our child pid puts it up, wherever it is, and goes on.  The listener, or
 * -errno; it may have to be killed for that. */
int sup_attach(pid_t pid, uint32_t asks);

/* supervise_packet.c.  One packet and its first n descriptors (-1: none; close
 * on exec); what else came with it is closed.  Its length, 0 at the end,
 * -EAGAIN, or -errno: -EMSGSIZE where it is longer than that, or brought more
 * than SUP_FDS. */
#define SUP_FDS 4
ssize_t sup_receive(int sock, void *bytes, size_t size, int *ret_fd,
	size_t n);
/* What a child sends with the listener; its number as it is here, the
 * kernel's word: it may stand in a process namespace of its own.  0, -EAGAIN,
 * or another -errno: it is no hello. */
int sup_receive_hello(int sock, pid_t *ret_pid, int *ret_fd);

/* What a child finds at the door: which calls it is to ask about. */
enum {
	SUP_ASKS_READS = 1 << 0,	/* opening a file to read */
	SUP_ASKS_SPAWNS = 1 << 1,	/* new processes */
	SUP_ASKS_ENDS = 1 << 2,		/* their end */
	SUP_ASKS_STARTS = 1 << 3,	/* execve(2), as an attempt */
	SUP_ASKS_IMAGES = 1 << 4,	/* what runtimes begin with */
	SUP_ASKS_NETWORK = 1 << 5,	/* addresses that are wanted */
	SUP_ASKS_CONNECTS = 1 << 6,	/* … which it is to connect to */
};
struct sup_asks {
	uint32_t calls;
};
/* It, and where the child enters the line's group, or -1.  0; -errno. */
int sup_send_asks(int sock, const struct sup_asks *asks, int procs);

/* ---- supervise_script.c: what was judged -------------------------------- */

struct sup_script {
	char *name[SUP_NAMES];	/* absolute; NULL: as one before */
	int copy;
	bool hidden;
	uint32_t guest;		/* whose line it belongs to; 0: ours, and … */
	uint32_t unit;		/* … of that unit of it */
	/* What the kernel puts before its name when it starts it; n_words
	 * 0: it has no #! line. */
	char *word[SUP_WORDS];
	size_t n_words;
};

void sup_script_set(struct sup_script *to, const struct supervise_script *s);
void sup_script_done(struct sup_script *s);
/* Another one by one of its names that the disk has as it was judged, or
 * NULL: two lines inside may have been judged with two states of a file. */
const struct sup_script *sup_script_other(const struct sup_script *s, size_t n,
	const struct sup_script *not_this);
/* These are the same bytes. */
bool sup_script_same(const struct sup_script *s, int copy);
/* The script that the absolute name means, or NULL. */
const struct sup_script *sup_script_find(const struct sup_script *s, size_t n,
	const char *name);
/* The last part of one of their names is this. */
bool sup_script_may_be(const struct sup_script *s, size_t n,
	const char *base);
/* What the disk has is what was judged.  0; -EBADMSG where it is not;
 * -errno. */
int sup_script_compare(const struct sup_script *s);
/* The same bytes, from the start, or -errno. */
int sup_script_reopen(const struct sup_script *s);

/* The same with the rights of that process: -EACCES where it may not read the
 * file (supervise_rights.c). */
int sup_rights_compare(pid_t pid, const struct sup_script *s);
/* A supervisor of root's, or a child of it, becomes who that is, for good.  0;
 * -errno: it may be half of it. */
int sup_rights_become(pid_t pid);

/* ---- supervise_proc.c: looking into a process --------------------------- */

/* The absolute name that path means for it, by its letters, owned; NULL. */
char *sup_proc_absolute(pid_t pid, int dirfd, const char *path);
/* A link or a file of /proc/PID; the length, or -errno. */
ssize_t sup_proc_link(pid_t pid, const char *what, char *ret, size_t size);
ssize_t sup_proc_file(pid_t pid, const char *what, char *ret, size_t size);
/* /proc/PID/stat; nothing but zeros where there is no such process. */
struct sup_stat {
	char state;		/* R, S, D, Z, … */
	pid_t parent;
	uint64_t ticks;		/* of user and system, its own and of children
				 * that it waited for */
	uint64_t start;		/* when it began: with the pid, its identity */
	/* Of its image; zeros where we may not look into it: where its stack
	 * began, its words, and where its environment ended. */
	uint64_t stack, args, args_end, env_end;
};
struct sup_stat sup_proc_stat(pid_t pid);
struct sup;
/* Of who asks, read once for a question. */
const struct sup_stat *sup_asker(struct sup *s);
/* It asks no more: its number may soon be another's. */
void sup_asker_done(struct sup *s);
/* The process that a thread is of, or 0. */
pid_t sup_proc_leader(pid_t thread);
bool sup_proc_no_new_privs(pid_t pid);
/* What tells an image from others. */
struct sup_mark {
	unsigned char random[16];	/* AT_RANDOM */
	uint64_t file;			/* made of the name of its file; not
					 * 0 */
};
struct sup_image {
	struct sup_mark mark;
	char exe[SUP_PATH_MAX];
	char said[SUP_PATH_MAX];	/* to execve(2); "": not known */
	const char *argv;	/* its words, each with its NUL */
	size_t argv_len;
	bool cut;		/* there are more */
	char *owned;
};
/* What it began with, where that is still as it was.  0, or -errno: -EAGAIN
 * where it is not all there yet. */
int sup_proc_image(pid_t pid, struct sup_stat stat, struct sup_image *ret);
void sup_image_done(struct sup_image *m);

/* ---- the supervisor ----------------------------------------------------- */

union sup_address {
	struct sockaddr any;
	struct sockaddr_in in;
	struct sockaddr_in6 in6;
	struct sockaddr_un local;
	struct sockaddr_storage room;	/* what the kernel takes at most */
};

struct sup_known {		/* a process of the line */
	pid_t pid;
	uint64_t start;
};

/* It is that process, and not another of its number. */
bool sup_is_same(const struct sup_known *k);

/* supervise_tree.c.  Those of a line that started programs, whoever their
 * parent is by now; all that live are kept. */
struct sup_members {
	struct sup_known *v;
	size_t n, size;
};

void sup_members_add(struct sup_members *m, struct sup_known k);
/* What is left is each of those that live, once, by its number. */
void sup_members_forget_dead(struct sup_members *m);
void sup_members_kill(const struct sup_members *m);

/* supervise_attempt.c.  Processes whose execve(2) may still come true. */
struct sup_attempts {
	struct sup_tried {
		pid_t pid;
		bool threads;			/* of its made one */
		int64_t since_ns;		/* the last one */
		int64_t look_ns, wait_ns;	/* when it is looked at */
	} *v;
	size_t n, size;
};

/* supervise_judged.c.  What tells the images that were judged. */
struct sup_judged {
	struct sup_mark *v;	/* free places: file 0 */
	size_t n, size;
	size_t left;		/* when the dead went for the last time */
	bool lossy;		/* they did: what is not in it may have been
				 * judged */
};
#define SUP_JUDGED_MANY ((size_t)16 * 1024)	/* then those of the dead go */
void sup_judged_add(struct sup_judged *t, const struct sup_mark *m);
bool sup_judged_has(const struct sup_judged *t, const struct sup_mark *m);
/* Where there are many, all go that no process runs which began at that time
 * or later. */
void sup_judged_tidy(struct sup_judged *t, uint64_t since);
void sup_judged_done(struct sup_judged *t);

/* supervise_told.c.  What aegsh has heard of a line. */
struct sup_told {
	bool done;		/* nobody is left */
	bool ended;		/* it answered to SUP_END … */
	bool answered;		/* … or SUP_UNIT, with this */
	int held;
	char *broken, *limited;
	struct strv network;
	struct supervise_image *image;
	size_t n, lost;
	struct sup_members known;	/* more than of images are kept */
};
/* A packet of the supervisor's. */
void sup_told_take(struct sup_told *t, const char *packet, size_t len);
void sup_told_done(struct sup_told *t);

/* Some processes, and what is below them. */
struct sup_tree {
	pid_t *pid;		/* owned; roots first, each once */
	size_t n, n_roots;
};

/* Roots in the order of their numbers. */
void sup_tree_root(struct sup_tree *t, pid_t pid);
/* Add what is below those in it; stop: each that is added is stopped, so that
 * it starts no others meanwhile. */
void sup_tree_grow(struct sup_tree *t, bool stop);
/* Only the children of its roots. */
void sup_tree_children(struct sup_tree *t);
void sup_tree_done(struct sup_tree *t);

/* ---- supervise_meter.c: limits of all of a line together ----------------- */

#define SUP_GRANTS_MAX 64

struct sup_meter {
	struct supervise_limits most;
	int64_t began_ns;	/* when its bash said hello, or the first unit
				 * came of which something is still there */
	int64_t next_ns;	/* when it is to be looked at again */
	uint64_t cpu_ms;	/* the most that was seen */
	uint64_t past_ms;	/* … of it before that unit */
	uint64_t brokers_ms;	/* of brokers that ended, and what they ran */
	bool waits;		/* bash, for its next unit */
	size_t bound;		/* no more processes than these are there */
	struct {		/* new ones that may not be there yet */
		pid_t asker;
		int64_t at_ns;
	} grant[SUP_GRANTS_MAX];
	size_t n_grants;
	bool told;
};

struct sup {
	struct sup_script script[SUP_SCRIPTS_MAX];
	size_t n;
	uint32_t unit;		/* that runs */
	struct sup_members before;	/* below bash when it came */
	int32_t awaited, held;	/* its scripts: to come; 0 or -errno */
	bool between;		/* another listener is to come */
	/* As in struct supervise_opts. */
	void (*serve)(void *ctx, const struct supervise_host *host);
	void *ctx;
	char label[SUPERVISE_LABEL];
	int guests, holds;	/* to the process that serves them, or -1 */
	/* supervise_broker.c; as in struct supervise_opts. */
	void (*broker)(void *ctx, const struct supervise_broker *b);
	void *approved;
	/* supervise_connect.c; as in struct supervise_opts. */
	supervise_may_connect_fn *may_connect;
	struct sup_wish {
		uint64_t id;	/* of the question */
		pid_t pid;
		int fd;		/* the socket's number there */
		socklen_t len;
		union sup_address to;
	} *wish;		/* SUP_WISHES_MAX, or NULL */
	struct sup_helper {
		pid_t pid;
		struct sup_wish wish;
	} helper[SUP_HELPERS_MAX];
	size_t n_helpers, n_wishes;
	struct rlimit files;	/* before we took more */
	int questions;		/* to aegsh, or -1 */
	int children;		/* signalfd(2), or -1 */
	pid_t brokers[SUP_BROKERS_MAX];
	struct sup_waiting {
		int sock;
		pid_t pid;
	} *waiting;		/* SUP_WAITING_MAX, or NULL */
	size_t n_brokers, n_waiting;
	uint32_t n_guests;	/* that came, ever */
	int control;		/* to aegsh, or -1: it is gone, or done with */
	int door;		/* the child's hello comes here, or -1 */
	int listener;		/* or -1 */
	pid_t line;		/* its bash */
	bool own_group;
	bool kept;		/* aegsh may end before those left do */
	bool began;		/* bash itself runs */
	bool broken;		/* all of it is being killed */
	struct buf queue;	/* packets, each with its length */
	size_t taken;		/* bytes of it that are sent */
	int64_t flush_ns;	/* when the rest is to be, or 0 */
	bool clogged;		/* aegsh has to read before that */
	uint32_t lost;		/* images that found no place */
	struct sup_known head;		/* bash */
	struct sup_members known;
	/* supervise_adopted.c */
	pid_t aegsh;		/* whose child it is */
	struct sup_members others;	/* not of the line */
	struct sup_members adopted;	/* at the last look */
	long filters;		/* of its bash, by seccomp(2) */
	int64_t sweep_ns;	/* when what is left is killed again */
	unsigned long slack;	/* of clocks, before sup_pace_begin(), or 0 */
	bool images;		/* are looked into and told */
	bool network;		/* addresses are told */
	struct strv addresses;	/* that were told */
	bool reads;		/* opening a file is asked about */
	supervise_may_fn *may_start;	/* or NULL */
	void (*renew)(void *ctx);	/* or NULL */
	struct sup_attempts attempts;
	struct sup_mark first;		/* bash's */
	struct sup_judged judged;
	/* Of who asks; here, for on the stack they would be filled with zeros
	 * each time. */
	struct sup_image image;
	char cwd[SUP_PATH_MAX];
	int looked_at;		/* who is looked at unasked, or -1 */
	struct sup_meter meter;
	struct cgroup_line *group;	/* the line's, or NULL */
	struct seccomp_notif *ask;
	struct sup_stat asker;		/* of the question asker_id */
	uint64_t asker_id;
	struct seccomp_notif_resp *answer;
	size_t ask_size, answer_size;
};

/* supervise_pace.c.  It goes before others, and its clocks may be late. */
void sup_pace_begin(struct sup *s);
/* fork(2), of what does neither. */
pid_t sup_pace_fork(const struct sup *s);
/* supervise_loop.c.  Nothing of aegsh's stays open but what is meant. */
void sup_take_files(struct sup *s);
void sup_close_others(const struct sup *s);
/* Never returns. */
void sup_main(struct sup *s) __attribute__((noreturn));
void sup_report(struct sup *s, const struct sup_report *head,
	const char *path, const char *argv, const char *said);
/* It is of the line, whoever becomes its parent. */
void sup_know(struct sup *s, pid_t pid);
/* Kill the line, for good, and say why. */
void sup_break(struct sup *s, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* Is the question still open?  Then what was read was its process's. */
bool sup_is_valid(const struct sup *s);

/* supervise_adopted.c.  The line's bash is there. */
void sup_adopted_begin(struct sup *s);
/* Find those that lost their parents: s->adopted. */
void sup_adopted_look(struct sup *s);
/* Aegsh may end: from now on they are known. */
void sup_adopted_keep(struct sup *s);
/* That one leads another line. */
void sup_adopted_other(struct sup *s, pid_t pid);

/* What an open or a start comes to. */
enum sup_answer {
	SUP_REFUSE = 0,		/* answer->error is set */
	SUP_CONTINUE,
	SUP_ANSWERED,		/* the kernel has its answer already */
};
enum sup_answer sup_open(struct sup *s);	/* supervise_open.c */
/* What the call that is open returns becomes a copy of fd; flags: O_CLOEXEC
 * or 0.  0, or -errno: it is still to be answered. */
int sup_give(const struct sup *s, int fd, uint32_t flags);
/* Two ends of a conversation with one of the line, each with room for a
 * frame.  -errno. */
int sup_pair(int ret[2]);
/* supervise_connect.c: a program connects, and a process of ours does so for
 * it. */
enum sup_answer sup_connect(struct sup *s);
void sup_connect_more(struct sup *s);
void sup_connect_ended(struct sup *s, pid_t pid, int status);
/* supervise_place.c.  The file, as O_PATH has it, that the name means to that
 * process; -errno. */
int sup_place_open(pid_t pid, const char *name);
/* Its canonical name, in ret, and identity; false: it has none here. */
bool sup_place_name(int fd, char *ret, size_t size,
	struct supervise_wish *w);
/* supervise_own.c.  Once, in aegsh, before the first supervisor that makes
 * sockets.  -errno. */
int sup_own_begin(void);
/* A program wants a unix socket. */
enum sup_answer sup_socket(struct sup *s);
/* All sockets that are bound to the file, as that process sees it, were made
 * for lines. */
bool sup_is_own(pid_t asker, int file, const struct supervise_wish *w);
/* Memory of who asks. */
bool sup_peek(const struct sup *s, uint64_t at, void *to, size_t len);
/* supervise_network.c: an address is wanted; it is told, once. */
enum sup_answer sup_network(struct sup *s);
/* The same of one that no rule lets it reach. */
void sup_network_refused(struct sup *s, const struct sup_wish *w);
/* supervise_image.c.  An image runs that is to be judged; rc: that of
 * sup_proc_image(). */
enum sup_answer sup_image(struct sup *s, int rc, struct sup_image *m);
/* supervise_attempt.c.  It calls execve(2): a path that may be another by the
 * time that the kernel reads it. */
enum sup_answer sup_attempt(struct sup *s);
/* Where who asks runs another image than when it called that, look at it, once.
 * SUP_CONTINUE: go on with what it asks. */
enum sup_answer sup_shown(struct sup *s);
/* The line's bash runs already, judged. */
void sup_attempt_first(struct sup *s);
/* When those who do not ask are to be looked at, or 0; look where it is
 * time. */
int64_t sup_attempt_due(const struct sup *s);
void sup_attempt_look(struct sup *s);
/* Who asks, and no other of its line; the number is its own while it asks. */
void sup_kill_asker(struct sup *s);
/* supervise_meter.c: a new process, its end. */
enum sup_answer sup_spawn(struct sup *s);
enum sup_answer sup_exit(struct sup *s);
/* The line's bash begins. */
void sup_meter_begin(struct sup *s);
/* A unit comes; bash has run it and waits for the next, or not any more. */
void sup_meter_unit(struct sup *s);
void sup_meter_waits(struct sup *s, bool waits);
/* What is left of the two; 0: no such limit. */
void sup_meter_left(const struct sup *s, uint64_t *ret_cpu_ms,
	uint64_t *ret_wall_ms);
/* When the meter is to be read again, or 0. */
int64_t sup_meter_due(const struct sup *s);
/* Read it where it is time, and kill the line that uses too much. */
void sup_meter_read(struct sup *s);
/* Say, once, that a limit was met; and kill the line for it. */
void sup_meter_say(struct sup *s, const char *text);
void sup_meter_break(struct sup *s, const char *limit, uint64_t most,
	const char *unit);

/* ---- supervise_group.c: what the kernel holds of a line ------------------ */

/* A group with these limits, or NULL. */
struct cgroup_line *sup_group_make(struct cgroup *c,
	const struct supervise_limits *most);
/* Its bash is there: is it in its group?  Where it is not there is none. */
void sup_group_begin(struct sup *s);
/* Processor time of all that ever was in it. */
uint64_t sup_group_cpu_ms(const struct sup *s);
/* Limits that the kernel saw met. */
void sup_group_look(struct sup *s);
/* Nobody of the line is left. */
void sup_group_end(struct sup *s);

/* ---- supervise_unit.c --------------------------------------------------- */

/* Aegsh's side.  0; -errno.  listener -1: the one there is is let go. */
int sup_send_listener(int control, int listener, pid_t pid);
int sup_send_unit(int control, const struct supervise_opts *o);
/* The supervisor's, to what came by that. */
bool sup_unit_is_old(const struct sup *s, const struct sup_script *script);
void sup_unit_begin(struct sup *s, const struct sup_report *r,
	const char *label);
void sup_unit_let_go(struct sup *s);
void sup_unit_listen(struct sup *s, const struct sup_report *r, int *listener);
void sup_unit_script(struct sup *s, const struct sup_report *r,
	const char *path, int *copy);
/* The script that the absolute name means to that process, or NULL. */
const struct sup_script *sup_unit_find(const struct sup *s, const char *name,
	pid_t pid);

/* ---- supervise_inner.c -------------------------------------------------- */

/* The other end is gone. */
bool sup_has_hung_up(int sock);
/* Until we are killed with the line around us, or a while has passed. */
void sup_await_end(void);
/* Somebody of the line knocks. */
enum sup_answer sup_guest(struct sup *s);
/* Somebody of it wants to be another user (supervise_broker.c). */
enum sup_answer sup_broker(struct sup *s);
/* The programs that brokers have started, and what is below them. */
void sup_broker_tree(const struct sup *s, struct sup_tree *ret);
/* As supervise_question(); -ENODATA: nobody is left who could ask. */
int sup_question(int from, char **ret, size_t *ret_len, int *ret_sock);
/* From now on s->children tells of them.  0; -errno. */
int sup_children_open(struct sup *s);
/* Of those that serve or connect some have ended. */
void sup_children_reap(struct sup *s);
/* What the process that serves them wants held, or not any more; or its
 * end. */
void sup_holds_hear(struct sup *s);

/* What it says by struct supervise_host.holds, with the copy: this, and the
 * path; of guest 0, why the line is to be killed.  The answer is an
 * int32_t. */
struct sup_hold {
	uint32_t guest;
	uint32_t hidden;
	uint32_t path_len;	/* 0: release all of that guest's */
};
/* A guest, with its socket. */
struct sup_guest {
	uint32_t number;
	int32_t pid;
	char label[SUPERVISE_LABEL];
};

#endif
