import { expect, test } from "vitest";
import { explainFailure } from "./connect-advice.ts";
import { parseRedisUrl } from "./redis-target.ts";

const single = "redis://127.0.0.1:6379";
const sentinels = "redis+sentinel://127.0.0.1:26379/main";
const cluster = "redis+cluster://127.0.0.1:6379";
const rights = "give its account ~own:* &own:* +@read +@write +@pubsub +@scripting +@connection +info";
const retries = "All sentinels are unreachable. Retrying from scratch after 100ms. Last error: ";

test.each([
  [single, "NOPERM this user has no permissions to run the 'subscribe' command", rights],
  [cluster, "NOPERM this user has no permissions to run the 'cluster|slots' command", `${rights} +cluster`],
  [single, "WRONGPASS invalid username-password pair", "check the user and password in its URL"],
  [
    single,
    "ERR DB index is out of range",
    "correct the number of the database in its URL, or raise databases of Redis",
  ],
  [cluster, "ERR This instance has cluster support disabled", 'it is no Cluster: remove "+cluster" from its URL'],
  [single, "connect ECONNREFUSED 127.0.0.1:6379", "check that it runs and that its URL is correct"],
])("for a failure at %s, repeats %s and says what to do", (url, message, advice) => {
  const explained = explainFailure(new Error(message), { target: parseRedisUrl(url), prefix: "own:" });
  expect(explained).toBe(`${message}; ${advice}`);
});

test.each([
  ["ERR No such master with that name", "correct the name of the primary in its URL, which follows the Sentinels"],
  [
    "ERR unknown command 'sentinel', with args beginning with: 'main'",
    "its URL must name the Sentinels, which usually have port 26379",
  ],
])("for Sentinels that answer %s, does not announce a retry of the driver", (message, advice) => {
  const explained = explainFailure(new Error(retries + message), { target: parseRedisUrl(sentinels), prefix: "own:" });
  expect(explained).toBe(`${message}; ${advice}`);
});
