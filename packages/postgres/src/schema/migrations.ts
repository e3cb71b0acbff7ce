// The schema "lethe" as a list of versions. An older build may run beside a newer schema during a rolling update, so a version only adds
// tables, columns with defaults, indexes and functions. Times are ms since 1970 by the clock of the database. Texts are never jsonb, which
// would change the order of keys and reject \u0000.

const tasks = `
CREATE TABLE lethe.tasks (
  prefix text NOT NULL,
  id text NOT NULL,
  owner text NOT NULL,
  lane text NOT NULL,
  priority smallint NOT NULL,
  state text NOT NULL,
  work text,
  created_at bigint NOT NULL,
  expires_at bigint NOT NULL,
  is_ended boolean NOT NULL DEFAULT false,
  worker text,
  fence bigint NOT NULL DEFAULT 1,
  losses integer NOT NULL DEFAULT 0,
  deaths integer NOT NULL DEFAULT 0,
  ready_at bigint,
  is_delayed boolean NOT NULL DEFAULT false,
  PRIMARY KEY (prefix, id)
);
COMMENT ON COLUMN lethe.tasks.owner IS 'digest of the caller, empty without authentication';
COMMENT ON COLUMN lethe.tasks.state IS 'encrypted';
COMMENT ON COLUMN lethe.tasks.work IS 'the encrypted arguments, null after the end';
COMMENT ON COLUMN lethe.tasks.ready_at IS 'since when the task waits for a worker, in the future while it is delayed; null if it does not wait';
CREATE INDEX tasks_waiting ON lethe.tasks (prefix, lane, priority DESC, ready_at, id)
  WHERE ready_at IS NOT NULL AND NOT is_delayed AND losses < 2;
CREATE INDEX tasks_suspect ON lethe.tasks (prefix, lane, priority DESC, ready_at, id)
  WHERE ready_at IS NOT NULL AND NOT is_delayed AND losses >= 2;
CREATE INDEX tasks_delayed ON lethe.tasks (prefix, ready_at) WHERE is_delayed;
CREATE INDEX tasks_held ON lethe.tasks (prefix, worker) WHERE worker IS NOT NULL;
CREATE INDEX tasks_expiry ON lethe.tasks (expires_at);

CREATE TABLE lethe.journal (
  prefix text NOT NULL,
  task_id text NOT NULL,
  position integer NOT NULL,
  entry text NOT NULL,
  PRIMARY KEY (prefix, task_id, position),
  FOREIGN KEY (prefix, task_id) REFERENCES lethe.tasks (prefix, id) ON DELETE CASCADE
);

CREATE TABLE lethe.workers (
  prefix text NOT NULL,
  worker text NOT NULL,
  expires_at bigint NOT NULL,
  PRIMARY KEY (prefix, worker)
);
CREATE INDEX workers_expiry ON lethe.workers (prefix, expires_at);

CREATE TABLE lethe.contacts (
  prefix text PRIMARY KEY,
  heard_at bigint NOT NULL,
  quiet_until bigint NOT NULL
);
COMMENT ON TABLE lethe.contacts IS 'when any worker was last heard of, and until when no task is taken from a worker';`;

/** The rows of each owner are counted as they come and go: counting them for each new task would read them all. */
const usage = `
CREATE TABLE lethe.task_usage (
  prefix text NOT NULL,
  owner text NOT NULL,
  live bigint NOT NULL,
  ended bigint NOT NULL,
  PRIMARY KEY (prefix, owner)
);
COMMENT ON TABLE lethe.task_usage IS 'the numbers of tasks of an owner; the empty owner stands for all tasks';

CREATE FUNCTION lethe.add_task_usage(of_prefix text, of_owner text, more_live integer, more_ended integer) RETURNS void
LANGUAGE sql AS $$
  INSERT INTO lethe.task_usage AS known (prefix, owner, live, ended) VALUES (of_prefix, of_owner, more_live, more_ended)
  ON CONFLICT (prefix, owner) DO UPDATE SET live = known.live + more_live, ended = known.ended + more_ended
$$;

CREATE FUNCTION lethe.count_task() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  task lethe.tasks;
  live integer := 0;
  ended integer := 0;
BEGIN
  IF TG_OP = 'INSERT' THEN
    task := NEW; live := 1;
  ELSIF TG_OP = 'UPDATE' THEN
    task := NEW; live := -1; ended := 1;
  ELSIF OLD.is_ended THEN
    task := OLD; ended := -1;
  ELSE
    task := OLD; live := -1;
  END IF;
  -- The row of all tasks comes first, so that transactions lock rows in one order.
  PERFORM lethe.add_task_usage(task.prefix, '', live, ended);
  IF task.owner <> '' THEN PERFORM lethe.add_task_usage(task.prefix, task.owner, live, ended); END IF;
  RETURN NULL;
END
$$;
CREATE TRIGGER count_task AFTER INSERT OR DELETE ON lethe.tasks FOR EACH ROW EXECUTE FUNCTION lethe.count_task();
CREATE TRIGGER count_end AFTER UPDATE OF is_ended ON lethe.tasks FOR EACH ROW
  WHEN (NEW.is_ended AND NOT OLD.is_ended) EXECUTE FUNCTION lethe.count_task();

CREATE TABLE lethe.round_usage (
  prefix text NOT NULL,
  caller text NOT NULL,
  rounds bigint NOT NULL,
  PRIMARY KEY (prefix, caller)
);

CREATE FUNCTION lethe.count_round() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  round lethe.rounds;
  more integer := 1;
BEGIN
  IF TG_OP = 'INSERT' THEN
    round := NEW;
  ELSE
    round := OLD; more := -1;
  END IF;
  INSERT INTO lethe.round_usage AS known (prefix, caller, rounds) VALUES (round.prefix, round.caller, more)
  ON CONFLICT (prefix, caller) DO UPDATE SET rounds = known.rounds + more;
  RETURN NULL;
END
$$;
CREATE TRIGGER count_round AFTER INSERT OR DELETE ON lethe.rounds FOR EACH ROW EXECUTE FUNCTION lethe.count_round();`;

const others = `
CREATE TABLE lethe.rounds (
  prefix text NOT NULL,
  id text NOT NULL,
  caller text NOT NULL,
  expires_at bigint NOT NULL,
  inputs text,
  answer text,
  kept_until bigint,
  process text,
  leased_until bigint,
  PRIMARY KEY (prefix, id)
);
COMMENT ON TABLE lethe.rounds IS 'single-use tokens that were used, with their encrypted inputs and, for a while, their encrypted answer';
CREATE INDEX rounds_expiry ON lethe.rounds (expires_at);
CREATE INDEX rounds_of_caller ON lethe.rounds (prefix, caller, expires_at);

CREATE TABLE lethe.session_states (
  prefix text NOT NULL,
  key text NOT NULL,
  version bigint NOT NULL,
  state text NOT NULL,
  expires_at bigint NOT NULL,
  PRIMARY KEY (prefix, key)
);
CREATE INDEX session_states_expiry ON lethe.session_states (expires_at);

CREATE TABLE lethe.event_streams (
  prefix text NOT NULL,
  stream text NOT NULL,
  writer text NOT NULL,
  is_ended boolean NOT NULL,
  expires_at bigint NOT NULL,
  PRIMARY KEY (prefix, stream)
);
COMMENT ON TABLE lethe.event_streams IS 'the streams of clients of older revisions';
CREATE INDEX event_streams_expiry ON lethe.event_streams (expires_at);

CREATE TABLE lethe.events (
  prefix text NOT NULL,
  stream text NOT NULL,
  seq integer NOT NULL,
  event text NOT NULL,
  PRIMARY KEY (prefix, stream, seq),
  FOREIGN KEY (prefix, stream) REFERENCES lethe.event_streams (prefix, stream) ON DELETE CASCADE
);

CREATE TABLE lethe.writers (
  prefix text NOT NULL,
  writer text NOT NULL,
  expires_at bigint NOT NULL,
  PRIMARY KEY (prefix, writer)
);
COMMENT ON TABLE lethe.writers IS 'the processes that write events, and until when they count as alive';
CREATE INDEX writers_expiry ON lethe.writers (expires_at);

-- Without a write-ahead log: after a crash of the database, each rate starts anew.
CREATE UNLOGGED TABLE lethe.rates (
  prefix text NOT NULL,
  name text NOT NULL,
  caller text NOT NULL,
  expires_at double precision NOT NULL,
  PRIMARY KEY (prefix, name, caller)
);
CREATE INDEX rates_expiry ON lethe.rates (expires_at);`;

const time = `
CREATE FUNCTION lethe.now_ms() RETURNS bigint LANGUAGE sql VOLATILE AS $$
  SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint
$$;`;

const replicas = `
-- Each renewal rewrites the row of a lease, so its page has room for the next version.
CREATE TABLE lethe.replica_leases (
  prefix text NOT NULL,
  lease text NOT NULL,
  replica text NOT NULL,
  entry text NOT NULL,
  length_ms bigint NOT NULL,
  expires_at bigint NOT NULL,
  is_over boolean NOT NULL DEFAULT false,
  has_left boolean NOT NULL DEFAULT false,
  PRIMARY KEY (prefix, lease)
) WITH (fillfactor = 50);
COMMENT ON TABLE lethe.replica_leases IS 'the leases of gateway replicas; one that is over never runs again';
COMMENT ON COLUMN lethe.replica_leases.entry IS 'fingerprints of the keys of the replica';

CREATE TABLE lethe.owned_sessions (
  prefix text NOT NULL,
  key text NOT NULL,
  lease text NOT NULL,
  claim bigint NOT NULL,
  PRIMARY KEY (prefix, key)
);
COMMENT ON TABLE lethe.owned_sessions IS 'the sessions of a gateway, each with the lease of the replica that owns it';
COMMENT ON COLUMN lethe.owned_sessions.key IS 'digest of the key of the session';
CREATE INDEX owned_sessions_of_lease ON lethe.owned_sessions (prefix, lease);

CREATE TABLE lethe.records (
  prefix text NOT NULL,
  key text NOT NULL,
  version bigint NOT NULL,
  value text NOT NULL,
  expires_at bigint NOT NULL,
  PRIMARY KEY (prefix, key)
);
COMMENT ON TABLE lethe.records IS 'small encrypted records of gateway replicas';
CREATE INDEX records_expiry ON lethe.records (expires_at);`;

const notes = `
-- Without a write-ahead log: a note lasts for seconds.
CREATE UNLOGGED TABLE lethe.replica_notes (
  prefix text NOT NULL,
  replica text NOT NULL,
  note text NOT NULL,
  expires_at bigint NOT NULL,
  PRIMARY KEY (prefix, replica)
) WITH (fillfactor = 50);
COMMENT ON TABLE lethe.replica_notes IS 'how much room gateway replicas have for new sessions';`;

/** Version 1 is the first. */
export const migrations: readonly string[] = [`${time}${tasks}${others}${usage}`, replicas, notes];

/** The tables that these versions create. */
export const tableNames: readonly string[] = migrations.flatMap((text) =>
  [...text.matchAll(/CREATE (?:UNLOGGED )?TABLE (lethe\.\w+)/g)].map(([, name = ""]) => name),
);
