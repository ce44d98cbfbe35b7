/* SPDX-License-Identifier: ISC */
/*
 * Drives the validator room for the tests.  Settings come from the test
 * root and from -o name=value; commands from standard input, one a line:
 *
 *	warm			start the helper
 *	pid			its pid, or -1
 *	fact NAME LEN		followed by LEN bytes: for the next ask
 *	settled			from now on nothing is unknown: the cache may
 *				be used
 *	ask LEN			followed by LEN bytes: the line
 *	bench COUNT		ask that often, print one latency (ns) a line
 *
 * An ask answers with one line of fields between tabs: status, action,
 * confidence, latency in ns, calls of progress, model, category, reason,
 * alternative, endpoint, tokens in, tokens out, cost, "cached" or "",
 * "forged" or "".  -c FD is the descriptor that cancels, -s DIR the store,
 * -p NAME the profile.
 */
#include "validator/validator_int.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "aegsh/base/mem.h"

static struct val_fact facts[VAL_FACTS_MAX + 1];
static size_t n_facts;
static int cancel_fd = -1;
static bool settled;

static void
die(const char *what)
{
	fprintf(stderr, "valask: %s\n", what);
	exit(100);
}

static char *
read_bytes(size_t len)
{
	char *bytes = xmalloc(len + 1);

	if (fread(bytes, 1, len, stdin) != len)
		die("standard input ends early");
	bytes[len] = '\0';
	return bytes;
}

static void
count_progress(void *ctx, int64_t waited_ns, const char *who)
{
	int *n = ctx;

	if (waited_ns > 0 && who != NULL)
		++*n;
}

static void
ask(struct validator *v, const char *line, size_t len,
    struct val_verdict *ret, int *ret_progress)
{
	struct val_question q = { .line = line, .len = len,
		.cwd = "/home/test", .origin = "prompt", .facts = facts,
		.n_facts = n_facts, .settled = settled, .context = "",
		.context_len = 0 };

	*ret_progress = 0;
	validator_ask(v, &q, cancel_fd, count_progress, ret_progress, ret);
}

static void
ask_once(struct validator *v, size_t len)
{
	AEG_AUTOFREE char *line = read_bytes(len);
	struct val_verdict r;
	int progress;

	ask(v, line, len, &r, &progress);
	printf("%s\t%s\t%u\t%lld\t%d\t%s\t%s\t%s\t%s\t%s\t%llu\t%llu\t%llu\t"
	    "%s\t%s\n",
	    val_status_name(r.status), val_action_name(r.action),
	    r.confidence, (long long)r.latency_ns, progress, r.model,
	    r.category, r.reason, r.alternative, r.endpoint,
	    (unsigned long long)r.tokens_in,
	    (unsigned long long)r.tokens_out, (unsigned long long)r.cost,
	    r.cached ? "cached" : "", r.forged ? "forged" : "");
	while (n_facts > 0) {
		n_facts--;
		free((char *)(uintptr_t)facts[n_facts].name);
		free((char *)(uintptr_t)facts[n_facts].text);
	}
}

static void
bench(struct validator *v, long count)
{
	static const char line[] = "tar -czf /tmp/site.tar.gz /srv/site";
	struct val_verdict r;
	int progress;

	while (count-- > 0) {
		ask(v, line, sizeof line - 1, &r, &progress);
		if (r.status != VAL_ANSWERED)
			die(r.reason);
		printf("%lld\n", (long long)r.latency_ns);
	}
}

static void
command(struct validator *v, const char *text)
{
	char name[64];
	long number;

	if (strcmp(text, "warm\n") == 0) {
		validator_warm(v);
	} else if (strcmp(text, "pid\n") == 0) {
		printf("%ld\n", (long)validator_helper_pid(v));
	} else if (sscanf(text, "fact %63s %ld", name, &number) == 2) {
		if (n_facts == AEG_NELEM(facts))
			die("too many facts");
		facts[n_facts++] = (struct val_fact){ xstrdup(name),
		    read_bytes((size_t)number), (size_t)number };
	} else if (strcmp(text, "settled\n") == 0) {
		settled = true;
	} else if (sscanf(text, "ask %ld", &number) == 1) {
		ask_once(v, (size_t)number);
	} else if (sscanf(text, "bench %ld", &number) == 1) {
		bench(v, number);
	} else if (strcmp(text, "\n") != 0) {
		die(text);
	}
	fflush(stdout);
}

int
main(int argc, char **argv)
{
	struct err err = ERR_INIT;
	struct validator *v = NULL;
	struct conf *conf = NULL;
	const char *store = NULL, *profile = NULL;
	char text[256];
	int opt;

	if (conf_load(getuid(), "/nonexistent", "/nonexistent/aegsh.conf",
	    &conf, &err) < 0)
		die(err.text);
	while ((opt = getopt(argc, argv, "c:o:p:s:")) != -1) {
		if (opt == 'c')
			cancel_fd = atoi(optarg);
		else if (opt == 's')
			store = optarg;
		else if (opt == 'p')
			profile = optarg;
		else if (opt != 'o' ||
		    conf_override(conf, optarg, &err) < 0)
			die(err.text);
	}
	if (validator_new(conf, store, profile, &v, &err) < 0)
		die(err.text);
	while (fgets(text, sizeof text, stdin) != NULL)
		command(v, text);
	validator_free(v);
	conf_free(conf);
	return 0;
}
