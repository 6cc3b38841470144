import { z } from "zod";
import { lineOfText, machine, route } from "../../../platform/http/index.ts";

export const token = route({
  method: "post",
  path: "/v1/workers/{id}/runner-token",
  tag: "Workers",
  summary: "Get a token for the runner that a worker hosts",
  description:
    "The runner acts for the member who registered the worker. Its name is the id of the worker. The token is valid for twelve hours and ends with the worker. While the worker is paused or drains, the runner gets no new runs.",
  access: machine({ credentials: ["worker"] }),
  params: z.strictObject({ id: z.string() }),
  // A newer worker may send more fields.
  query: z.object({}),
  body: z.object({
    platform: lineOfText(160).optional(),
    version: lineOfText(160).optional(),
    concurrency: z.int().min(1).max(16).default(1).describe("The number of runs that it executes at once."),
    serves: z
      .enum(["own", "organization"])
      .default("own")
      .describe("Whose runs it gets. `organization` needs `automations:manage`."),
  }),
  replies: {
    200: z.strictObject({ token: z.string(), expiresAt: z.int(), eventsPath: z.string() }),
  },
  errors: {
    409: "`worker_without_owner`: the member who registered the worker has left. Another member can take it over.",
  },
});
export type RunnerTokenRequest = z.output<(typeof token)["body"]>;
