import { apiKey } from "@better-auth/api-key";
import { betterAuth } from "better-auth";
import { getMigrations } from "better-auth/db/migration";
import pg from "pg";

/**
 * The library's own key check, on tables of its own in the same PostgreSQL. As it comes, but for the limit
 * of 10 requests a day per key; without that limit it also has one statement less to run.
 */
export async function openBetterAuth(databaseUrl: string, poolSize: number) {
  const pool = new pg.Pool({ connectionString: databaseUrl, max: poolSize });
  // Its connections may outlive `end` by a moment, and the database is dropped under them.
  pool.on("error", () => {});
  const options = {
    baseURL: "http://127.0.0.1",
    secret: "a secret for the benchmarks, long enough",
    database: pool,
    telemetry: { enabled: false },
    emailAndPassword: { enabled: true },
    plugins: [apiKey({ rateLimit: { enabled: false } })],
  };
  await (await getMigrations(options)).runMigrations();
  const { api } = betterAuth(options);
  const { user } = await api.signUpEmail({
    body: { email: "bench@example.com", password: "correct horse battery", name: "Bench" },
  });
  return {
    createKey: async () => (await api.createApiKey({ body: { userId: user.id, name: "bench" } })).key,
    verify: async (key: string) => {
      const { valid, error } = await api.verifyApiKey({ body: { key } });
      if (!valid) throw new Error(`The library refused its own key: ${error?.message}`);
    },
    close: () => pool.end(),
  };
}
