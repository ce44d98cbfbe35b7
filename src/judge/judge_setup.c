/* SPDX-License-Identifier: ISC */
/* From aegsh's set-up to a confined helper that can ask, or the reason why
 * it cannot. */
#include "judge_int.h"

#include <curl/curl.h>
#include <errno.h>
#include <fcntl.h>
#include <nettle/sha2.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "aegsh/base/io.h"
#include "aegsh/base/keyfile.h"
#include "aegsh/base/log.h"
#include "aegsh/base/mem.h"
#include "aegsh/base/path.h"
#include "aegsh/conf.h"
#include "aegsh/wire_confine.h"

#define HOST_STATE_NAME "judge-host.state"

static uid_t
trusted_uid(const struct val_setup *s)
{
	return s->managed ? (uid_t)-1 : getuid();
}

/* What the operator has to say about lines of a profile, behind ours. */
static int
add_to_prompt(struct judge *j, const char *profile, struct err *err)
{
	AEG_AUTO(buf_done) struct buf more = BUF_INIT;
	AEG_AUTOFREE char *path = NULL;
	int rc;

	if (strchr(profile, '/') != NULL || profile[0] == '.')
		return 0;
	path = xasprintf("%s/prompts/%s.txt", sysdirs()->conf, profile);
	rc = conf_trust_read(path, (uid_t)-1, JUDGE_PROMPT_MAX, &more, err);
	if (rc == -ENOENT || rc == -ENOTDIR || (rc == 0 && more.len == 0))
		return 0;
	if (rc == 0 && memchr(more.data, '\0', more.len) != NULL)
		rc = err_set(err, ERR_SYNTAX, "%s: not a text", path);
	if (rc < 0)
		return rc;
	buf_puts(&j->prompt, "\nFROM THE OPERATOR OF THIS MACHINE\n\n");
	buf_put(&j->prompt, more.data, more.len);
	return 0;
}

static int
read_prompt(struct judge *j, const struct val_setup *s, struct err *err)
{
	AEG_AUTOFREE char *path = xasprintf("%s/" JUDGE_PROMPT,
	    sysdirs()->data);
	int rc = conf_trust_read(path, trusted_uid(s), JUDGE_PROMPT_MAX,
	    &j->prompt, err);

	if (rc < 0)
		return rc;
	if (j->prompt.len == 0 || memchr(j->prompt.data, '\0', j->prompt.len))
		return err_set(err, ERR_SYNTAX, "%s: not a text", path);
	return s->profile[0] != '\0' ? add_to_prompt(j, s->profile, err) : 0;
}

static int
read_files(struct judge_member *m, const struct val_endpoint *e, uid_t uid,
    struct err *err)
{
	int rc = 0;

	if (e->key[0] != '\0') {
		buf_puts(&m->key, e->key);
		rc = judge_key_check("key-env", &m->key, err);
	} else if (e->key_file[0] != '\0') {
		rc = judge_key_read(e->key_file, uid, &m->key, err);
	}
	if (rc < 0 || e->ca_file[0] == '\0')
		return rc;
	rc = conf_trust_read(e->ca_file, uid, JUDGE_CA_MAX, &m->ca, err);
	if (rc == 0 && m->ca.len == 0)
		rc = err_set(err, ERR_SYNTAX, "%s: is empty", e->ca_file);
	if (rc < 0)
		err_context(err, "ca-file");
	return rc;
}

static int
set_up_member(struct judge_member *m, const struct val_endpoint *e,
    uid_t uid, struct err *err)
{
	int rc;

	m->name = xstrdup(e->name);
	m->model = xstrdup(e->model);
	m->timeout_ms = e->timeout_ms;
	m->attempts = e->attempts;
	m->price_in = e->price_in;
	m->price_out = e->price_out;
	m->format = judge_format_find(e->format);
	if (m->format == NULL)
		return err_set(err, ERR_UNKNOWN_NAME,
		    "format: '%s' is not known", e->format);
	rc = judge_endpoint_parse(e->url, m->format, e->model, &m->at, err);
	m->at.trusted_uid = uid;
	if (rc == 0 && e->proxy[0] != '\0')
		rc = judge_endpoint_proxy(&m->at, e->proxy, err);
	if (rc == 0)
		rc = read_files(m, e, uid, err);
	if (rc == 0 && e->model[0] == '\0')
		rc = err_set(err, ERR_RANGE,
		    "model: not set, and %s must know which to ask",
		    m->at.label);
	return rc;
}

static void
hash_text(struct sha256_ctx *ctx, const char *text)
{
	sha256_update(ctx, strlen(text) + 1, (const uint8_t *)text);
}

/* What a verdict depends on besides the question; and, of each endpoint,
 * what makes it another one. */
static void
make_digests(struct judge *j, const struct val_setup *s)
{
	struct sha256_ctx all, one;
	size_t i;

	sha256_init(&all);
	sha256_update(&all, j->prompt.len, (const uint8_t *)j->prompt.data);
	sha256_update(&all, sizeof s->quorum, (const void *)&s->quorum);
	for (i = 0; i < j->n; i++) {
		const struct val_endpoint *e = &s->endpoints[i];
		const struct buf *key = &j->members[i].key;
		uint8_t digest[SHA256_DIGEST_SIZE];

		j->members[i].place = val_endpoint_place(e);
		sha256_init(&one);
		sha256_update(&one, sizeof j->members[i].place,
		    (const void *)&j->members[i].place);
		hash_text(&one, e->ca_file);
		if (key->len > 0)
			sha256_update(&one, key->len, (const void *)key->data);
		sha256_digest(&one, sizeof digest, digest);
		memcpy(&j->members[i].print, digest, sizeof(uint64_t));
		hash_text(&all, e->format);
		hash_text(&all, e->url);
		hash_text(&all, e->model);
		hash_text(&all, e->proxy);
		hash_text(&all, e->ca_file);
	}
	sha256_digest(&all, sizeof j->chain_digest, j->chain_digest);
}

/* What all users of the host share, where the operator has made it, for this
 * process's group: the secret of remembered answers, and the budgets. */
static void
open_shared(struct judge *j)
{
	AEG_AUTOFREE char *host = xasprintf("%s/" HOST_STATE_NAME,
	    sysdirs()->state);
	AEG_AUTOFREE char *path = xasprintf("%s/" VAL_SECRET_NAME,
	    sysdirs()->state);
	struct err why = ERR_INIT;
	AEG_AUTOFD int fd = -1;
	struct stat st;

	j->has_secret = conf_trust_open(path, (uid_t)-1, &fd, NULL) == 0 &&
	    fstat(fd, &st) == 0 && (st.st_mode & 0137) == 0 &&
	    st.st_size == VAL_SECRET_LEN &&
	    io_read_full(fd, j->secret, sizeof j->secret) == 0;
	if (eaccess(host, R_OK | W_OK) == 0 && val_state_open(
	    sysdirs()->state, HOST_STATE_NAME, true, &j->host_fd, &why) < 0)
		log_debug("%s", why.text);
}

/* The user's own.  Remembering is a help, not a need; a limit that cannot be
 * kept is one that is reached. */
static void
open_store(struct judge *j, const struct val_setup *s)
{
	struct err why = ERR_INIT;

	if (s->store[0] == '\0')
		return;
	j->no_budget.code = val_state_open(s->store, VAL_STATE_NAME, true,
	    &j->state_fd, &j->no_budget);
	if (s->cache_ttl_s == 0 || s->cache_rows == 0)
		return;
	if ((!j->has_secret && keyfile_load(s->store, VAL_SECRET_NAME,
	    j->secret, sizeof j->secret, &why) < 0) || val_cache_open(s->store,
	    s->cache_rows, true, &j->cache_fd, &why) < 0)
		log_debug("%s", why.text);
}

static void
add_need(struct wire_needs *needs, const struct judge_member *m)
{
	if (m->at.port != 0)
		needs->ports[needs->n_ports++] = m->at.port;
	needs->names = needs->names || m->at.is_name;
	needs->sockets_of_others |= m->at.unix_path != NULL;
	needs->system_ca = needs->system_ca ||
	    (!m->at.plain && m->ca.len == 0);
}

static int
set_up(struct judge *j, const struct val_setup *s, struct err *err)
{
	struct wire_needs needs = { .program = "aegsh-judge",
		.file_most = 128 * ((uint64_t)s->cache_rows + 64) };
	size_t i, usable = 0;
	int rc;

	j->quorum = s->quorum;
	j->cache_ttl_s = s->cache_ttl_s;
	j->rate = s->rate;
	j->host_rate = s->host_rate;
	j->day_cost = s->day_cost;
	j->host_day_cost = s->host_day_cost;
	rc = read_prompt(j, s, err);
	if (rc < 0)
		return rc;
	for (i = 0; i < s->n; i++) {
		struct judge_member *m = &j->members[j->n++];

		m->broken.code = set_up_member(m, &s->endpoints[i],
		    trusted_uid(s), &m->broken);
		if (m->broken.code < 0)
			continue;
		add_need(&needs, m);
		usable++;
	}
	if (usable == 0)
		return err_set(err, j->members[0].broken.code, "%s",
		    j->members[0].broken.text);
	make_digests(j, s);
	open_shared(j);
	rc = judge_group_drop(err);
	if (rc < 0)
		return rc;
	open_store(j, s);
	if (curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK)
		return err_set(err, -EIO, "libcurl does not start");
	rc = wire_confine(&needs, err);
	if (rc == 0)
		rc = judge_net_new(&j->net, err);
	for (i = 0; rc == 0 && i < j->n; i++)
		if (j->members[i].broken.code == 0)
			rc = judge_http_new(j->net, &j->members[i].at,
			    j->members[i].format, &j->members[i].key,
			    &j->members[i].ca, &j->members[i].http, err);
	if (rc == 0)
		judge_health_load(j);
	return rc;
}

void
judge_setup(struct judge *j, const struct val_setup *s)
{
	AEG_AUTO(val_chain_done) struct val_chain own = VAL_CHAIN_INIT;
	size_t i;
	int rc = 0;

	if (judge_group_held())
		rc = judge_group_settings(s, &own, &j->broken);
	if (rc == 0)
		rc = set_up(j, own.arena != NULL ? &own.setup : s, &j->broken);
	j->broken.code = rc;
	if (rc < 0 && judge_group_drop(NULL) < 0)
		log_debug("the group is kept");
	/* libcurl has its copies now. */
	for (i = 0; i < j->n; i++)
		if (j->members[i].key.data != NULL)
			explicit_bzero(j->members[i].key.data,
			    j->members[i].key.cap);
}

void
judge_done(struct judge *j)
{
	size_t i;

	for (i = 0; i < j->n; i++) {
		struct judge_member *m = &j->members[i];

		judge_http_free(m->http);
		judge_endpoint_done(&m->at);
		buf_done(&m->key);
		buf_done(&m->ca);
		free(m->name);
		free(m->model);
	}
	judge_net_free(j->net);
	buf_done(&j->prompt);
	buf_done(&j->q.system);
	buf_done(&j->q.user);
	explicit_bzero(j->secret, sizeof j->secret);
	curl_global_cleanup();
}
