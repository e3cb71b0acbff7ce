// The cells of Skills: the official client, and our client at a server of the official SDK.
import { skills } from "@lethe/client/extensions";
import { connect } from "@lethe/client/node";
import { SkillsClient } from "@modelcontextprotocol/client/ext/skills";
import { expect } from "vitest";
import type { Extension, Revision } from "./cell.ts";
import { usingOfficial } from "./official-client.ts";
import { optionsOf, type Setting } from "./setting.ts";

const body = "Follow references/rules.md.\n";

export function skillsOf({ own, gateway, official }: Setting): Extension {
  return {
    name: "Skills",
    id: "io.modelcontextprotocol/skills",
    cells: {
      server: {
        shows: "`ext/skills` of the official client lists, reads and verifies a skill and a file that it refers to.",
        run: (revision) => readOfficially(own, revision, "skill://refunds"),
      },
      client: {
        shows: "Our client does the same at `ext/skills` of the official server, directly.",
        run: (revision) => readFromOfficial(official.skills(revision), revision),
      },
      "merged gateway": {
        shows:
          "`ext/skills` of the official client does it with servers of Lethe of both revisions and with the official one, under URIs that include the server.",
        async run(revision) {
          for (const name of ["modern", "old", "skills"])
            await readOfficially(gateway, revision, `${name}+skill://refunds`);
        },
      },
      "single gateway": {
        shows: "The same at the endpoint of each server.",
        async run(revision) {
          for (const name of ["modern", "old", "skills"])
            await readOfficially(`${gateway}/${name}`, revision, "skill://refunds");
        },
      },
    },
  };
}

async function readOfficially(url: string, revision: Revision, root: string): Promise<void> {
  await usingOfficial(url, { revision }, async (client) => {
    const known = new SkillsClient(client);
    const skill = (await known.list()).skills.find(({ uri }) => uri === `${root}/SKILL.md`);
    if (!skill) throw new Error(`${root} at ${url} is not listed`);
    expect(await known.read(skill)).toMatchObject({ body, verified: true });
    expect(await known.read(skill, "references/rules.md")).toMatchObject({ verified: true });
    expect((await known.get(skill.uri)).skill).toEqual(skill);
  });
}

async function readFromOfficial(target: ReturnType<Setting["official"]["skills"]>, revision: Revision): Promise<void> {
  const known = skills();
  const client = await connect(target, { ...optionsOf(revision), extensions: [known] });
  const api = client.extension(known);
  const [skill] = await api.list();
  if (!skill) throw new Error("the official server lists no skill");
  expect(await api.get(skill.uri)).toEqual(skill);
  expect(await api.read(skill)).toMatchObject({ body, isVerified: true });
  expect(await api.read(skill, "references/rules.md")).toMatchObject({
    text: "Refund within 30 days.\n",
    isVerified: true,
  });
  expect(await api.readDirectory("skill://refunds")).toHaveLength(2);
  await client.close();
}
