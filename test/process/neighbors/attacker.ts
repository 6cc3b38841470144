/**
 * The process that attacks: `node attacker.ts <base URL>`. It prints `ready` when its tenants and traps exist, starts
 * at the first line on stdin, stops when stdin closes, and then prints the counts of replies as JSON.
 */
import { createInterface } from "node:readline";
import { type Attacker, attacks } from "./attacks.ts";
import { createClient } from "./client.ts";
import { createTenant } from "./tenants.ts";
import { startHostileServers } from "./traps.ts";

const base = process.argv[2]!;
const traps = await startHostileServers();
const stopping = new AbortController();
const counts: Record<string, Record<string, number>> = {};
const attackers: Attacker[] = [];
for (const address of ["127.0.0.2", "127.0.0.3"]) {
  const client = createClient(base, address);
  attackers.push({
    client,
    base,
    address,
    tenant: await createTenant(client, `Hostile ${address}`),
    traps,
    signal: stopping.signal,
    count(attack: string, outcome: string | number) {
      const outcomes = counts[attack] ?? {};
      counts[attack] = outcomes;
      outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
    },
  });
}
const lines = createInterface({ input: process.stdin });
let running: Promise<unknown> = Promise.resolve();
lines.once("line", () => {
  running = Promise.all(
    attackers.flatMap((attacker) =>
      attacks.map((attack) =>
        attack(attacker).catch((error: Error) => attacker.count("attack failed", error.message)),
      ),
    ),
  );
});
lines.once("close", async () => {
  stopping.abort();
  for (const { client } of attackers) client.close();
  await Promise.race([running, new Promise((resolve) => setTimeout(resolve, 5_000))]);
  console.log(JSON.stringify(counts));
  process.exit(0);
});
console.log("ready");
