/* SPDX-License-Identifier: ISC */
/*
 * Every option, one row each: identifier, name in the file, type, default,
 * least, most (of an integer) or words (of an enum, strictest first, as a
 * string of words), who may set it, which way is tighter, help.  The
 * includer defines CONF_ROW; the rows make the enum, the table, `aegshctl
 * config show`, the completions and a test that aegsh.conf(5) names each.
 */
CONF_ROW(MODE, "mode", ENUM, "personal", 0, 0, "managed personal", OPERATOR,
	NONE,
	"managed: the operator's settings rule and every promise is hard")
CONF_ROW(PROFILE, "profile", STRING, "admin", 0, 0, NULL, USER, NONE,
	"policy profile that lines are judged by")
CONF_ROW(ENDPOINT, "endpoint", STRING, "", 0, 0, NULL, USER, NONE,
	"base URL of a language model; empty: none is asked")
CONF_ROW(FORMAT, "format", ENUM, "openai-chat", 0, 0, "openai-chat azure-chat "
	"openai-responses anthropic-messages gemini ollama", USER, NONE,
	"what the endpoint speaks")
CONF_ROW(MODEL, "model", STRING, "", 0, 0, NULL, USER, NONE,
	"name of the model to ask")
CONF_ROW(KEY_FILE, "key-file", STRING, "", 0, 0, NULL, USER, NONE,
	"file with the endpoint's key, mode 0600 or 0640")
CONF_ROW(KEY_CREDENTIAL, "key-credential", STRING, "", 0, 0, NULL, USER, NONE,
	"name of a systemd credential that holds the key")
CONF_ROW(KEY_ENV, "key-env", STRING, "", 0, 0, NULL, USER, NONE,
	"variable that holds the key; it is taken out of the environment")
CONF_ROW(CA_FILE, "ca-file", STRING, "", 0, 0, NULL, USER, NONE,
	"certificates to trust for the endpoint instead of the system's")
CONF_ROW(PROXY, "proxy", STRING, "", 0, 0, NULL, USER, NONE,
	"proxy for the endpoint, as http://HOST:PORT, https: or socks5h:")
CONF_ROW(CHAIN, "chain", STRING, "", 0, 0, NULL, USER, NONE,
	"file with several endpoints, in place of the options for one")
CONF_ROW(ASK_TIMEOUT, "ask-timeout", INT, "8000", 100, 60000, NULL, USER, LESS,
	"milliseconds after which a silent language model counts as failed")
CONF_ROW(ASK_CONFIDENCE, "ask-confidence", INT, "60", 0, 100, NULL, USER, MORE,
	"percent of confidence below which an allow becomes a question")
CONF_ROW(ASK_ALLOWED, "ask-allowed", STRING, "", 0, 0, NULL, OPERATOR, NONE,
	"profiles whose allowed lines are put to the model as well")
CONF_ROW(ASK_PRECONNECT, "ask-preconnect", BOOL, "yes", 0, 0, NULL, USER, NONE,
	"connect to the endpoint while the prompt waits")
CONF_ROW(ASK_CACHE_TTL, "ask-cache-ttl", INT, "3600", 0, 604800, NULL, USER,
	LESS, "seconds for which an allow of the model is remembered; 0: not")
CONF_ROW(ASK_CACHE_ROWS, "ask-cache-rows", INT, "4096", 0, 65536, NULL, USER,
	NONE, "how many are remembered")
CONF_ROW(ASK_RATE, "ask-rate", INT, "600", 1, 100000, NULL, USER, LESS,
	"questions a minute that one user may ask")
CONF_ROW(ASK_DAY_COST, "ask-day-cost", INT, "1000000", 0, 1000000, NULL, USER,
	LESS, "hundredths of the currency that one user may spend a day")
CONF_ROW(ASK_HOST_RATE, "ask-host-rate", INT, "100000", 1, 100000, NULL,
	OPERATOR, LESS, "questions a minute of all users of this host")
CONF_ROW(ASK_HOST_DAY_COST, "ask-host-day-cost", INT, "1000000", 0, 1000000,
	NULL, OPERATOR, LESS, "the same limit for all users of this host")
CONF_ROW(FAIL, "fail", ENUM, "default", 0, 0, "block ask policy default", USER,
	WORDS, "what a failed language model means; default: block when "
	"managed, else ask")
CONF_ROW(FAIL_PROFILES, "fail-profiles", STRING, "", 0, 0, NULL, OPERATOR, NONE,
	"PROFILE=block, =ask or =policy: fail for lines of these profiles")
CONF_ROW(CONFIRM_TIMEOUT, "confirm-timeout", INT, "300", 5, 3600, NULL, USER,
	LESS, "seconds after which an unanswered question counts as no")
CONF_ROW(CONTACT, "contact", STRING, "", 0, 0, NULL, OPERATOR, NONE,
	"who decides what may run here, told to whoever is refused a line")
CONF_ROW(CONFINE_PROFILES, "confine-profiles", STRING, "", 0, 0, NULL, OPERATOR,
	NONE, "sandbox profiles that aegsh-confine runs in, whoever calls it; "
	"empty: any that is installed")
CONF_ROW(STATE_MAX, "state-max", INT, "4194304", 65536, 67108864, NULL, USER,
	LESS, "bytes of environment that one line may bring back")
CONF_ROW(STREAM_SYNC, "stream-sync", INT, "0", 0, 1000, NULL, OPERATOR, LESS,
	"milliseconds for which commands of a stream may be on record, but not "
	"on the disk yet; 0: each is, before it runs")
CONF_ROW(RECORD_WAIT, "record-wait", INT, "5000", 100, 600000, NULL, USER,
	LESS, "milliseconds for which a line at the prompt waits for the "
	"record: then it is refused (managed), or runs and is recorded later")
CONF_ROW(RECORD_WITHOUT, "record-without", STRING, "", 0, 0, NULL, USER, NONE,
	"fields that are not recorded, of: argv cwd execs files host output "
	"reason remote tty")
CONF_ROW(OUTPUT, "output", ENUM, "none", 0, 0, "full sample none", USER, WORDS,
	"what is kept of what lines write: nothing; beginning and end; all")
CONF_ROW(OUTPUT_MAX, "output-max", INT, "1048576", 4096, 10485760, NULL, USER,
	MORE, "bytes of each line's output that full keeps")
CONF_ROW(OUTPUT_PROFILES, "output-profiles", STRING, "", 0, 0, NULL, OPERATOR,
	NONE, "PROFILE=none, =sample or =full: output for lines of these "
	"profiles")
CONF_ROW(RETAIN_DAYS, "retain-days", INT, "0", 0, 36500, NULL, USER, NONE,
	"days for which lines are kept when aegshctl audit prune deletes; 0: "
	"for ever")
CONF_ROW(RETAIN_EVENTS_DAYS, "retain-events-days", INT, "0", 0, 36500, NULL,
	USER, NONE, "days for which events are kept, where that is less; 0: "
	"as long as lines")
CONF_ROW(RETAIN_EXECS_DAYS, "retain-execs-days", INT, "0", 0, 36500, NULL,
	USER, NONE, "days for which programs that ran under lines are kept, "
	"where that is less; 0: as long as lines")
CONF_ROW(RETAIN_OUTPUT_DAYS, "retain-output-days", INT, "0", 0, 36500, NULL,
	USER, NONE, "days for which what lines wrote is kept, where that is "
	"less; 0: as long as lines")
CONF_ROW(WITNESS, "witness", SET, "none", 0, 0, "journal kernel syslog none",
	OPERATOR, NONE, "who is told how far each record has come, so that "
	"an end that is cut off is missed: one, several or none")
CONF_ROW(SHIP, "ship", STRING, "", 0, 0, NULL, USER, NONE,
	"where aegshctl audit ship sends the record, URLs: unix:PATH, "
	"udp://HOST, tcp://HOST, tls://HOST, journal:, https://…, file:PATH")
CONF_ROW(SHIP_CA_FILE, "ship-ca-file", STRING, "", 0, 0, NULL, USER, NONE,
	"certificates to trust there instead of the system's")
CONF_ROW(SHIP_HEADERS, "ship-headers", STRING, "", 0, 0, NULL, USER, NONE,
	"file of HTTP headers for https:, one a line, mode 0600")
CONF_ROW(SHIP_TIMEOUT, "ship-timeout", INT, "10000", 100, 600000, NULL, USER,
	NONE, "milliseconds that a place may take for one batch")
CONF_ROW(HISTORY, "history", INT, "100000000", 0, 100000000, NULL, USER, NONE,
	"newest lines of the record that the prompt can recall; 0: none")
CONF_ROW(EXPAND_HISTORY, "expand-history", ENUM, "yes", 0, 0, "no verify yes",
	USER, NONE, "what !! and its like do at the prompt; verify: the "
	"expanded line is given back and waits for Enter")
CONF_ROW(SUGGEST, "suggest", BOOL, "no", 0, 0, NULL, USER, NONE,
	"suggest at the right edge how a line may go on")
CONF_ROW(PREVIEW, "preview", BOOL, "no", 0, 0, NULL, USER, NONE,
	"tell at the right edge what would become of the line as it is typed")
CONF_ROW(ACCESSIBLE, "accessible", BOOL, "no", 0, 0, NULL, USER, NONE,
	"draw the prompt for screen readers: line after line, nothing moved")
CONF_ROW(EDITING, "editing", ENUM, "emacs", 0, 0, "emacs vi", USER, NONE,
	"whose keys edit a line at the prompt")
CONF_ROW(PROMPT, "prompt", STRING, "\\u@\\h:\\w\\$ ", 0, 0, NULL, USER, NONE,
	"prompt string with bash's escapes, \\{git} and others; or theme:NAME")
CONF_ROW(LOGIN_FILES, "login-files", ENUM, "all", 0, 0, "none system all", USER,
	WORDS, "start-up files that a login takes in; when managed, all counts "
	"as system unless the operator says it")
CONF_ROW(LOGIN_TIMEOUT, "login-timeout", INT, "5000", 100, 60000, NULL, USER,
	LESS, "milliseconds that one start-up file may run")
CONF_ROW(ALIASES, "aliases", STRING, "", 0, 0, NULL, USER, NONE,
	"aliases of the prompt, NAME='VALUE' …, expanded before judging")
CONF_ROW(COMPLETION, "completion", ENUM, "full", 0, 0, "off names full", USER,
	WORDS, "what Tab offers: nothing; names of files, commands and the "
	"like; also what installed bash-completion knows")
CONF_ROW(COMPLETION_DIRS, "completion-dirs", STRING,
	"/usr/local/share/bash-completion /usr/share/bash-completion", 0, 0,
	NULL, OPERATOR, NONE,
	"directories of bash-completion, which only the operator can change")
CONF_ROW(COMPLETION_HELPERS, "completion-helpers", STRING,
	"awk basename cat cut dirname expr getent grep gzip head id ls sed "
	"sort tail tr uname uniq wc", 0, 0, NULL, OPERATOR, NONE,
	"programs of the system that completions may run, never the command "
	"that is completed")
CONF_ROW(PERSIST, "persist", ENUM, "exports", 0, 0, "exports variables full",
	OPERATOR, NONE, "what a prompt keeps from line to line; variables: "
	"unexported ones, too; full: and functions")
CONF_ROW(CONTROL_GROUP, "control-group", ENUM, "delegated", 0, 0,
	"ask delegated off", USER, NONE, "where lines get control groups: in a "
	"delegated one; ask: or, at a prompt, in a scope of the user's manager")
CONF_ROW(DEBUG, "debug", BOOL, "no", 0, 0, NULL, USER, NONE,
	"say on standard error what aegsh does")
