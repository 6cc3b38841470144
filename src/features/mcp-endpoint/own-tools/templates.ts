import { z } from "zod";
import { room } from "../../templates/index.ts";
import { defineTool, findRoute, id, page, readOnly } from "./define.ts";

export const templateTools = [
  defineTool({
    name: "list_templates",
    title: "List templates",
    description:
      "Lists the templates of the organization, without their bodies. Templates are texts that agents are given. Newest first.",
    route: findRoute(room.routes, "getV1Templates"),
    input: z.strictObject({
      ...page,
      q: z
        .string()
        .trim()
        .max(200)
        .optional()
        .describe("Words that must occur in the name, description or tags."),
      tag: z.string().max(50).optional(),
    }),
    annotations: readOnly,
    toInput: (query) => ({ query }),
  }),
  defineTool({
    name: "read_template",
    title: "Read a template",
    description: "Reads a template with its body. In a run, only the templates of the run can be read.",
    route: findRoute(room.routes, "getV1TemplatesById"),
    input: z.strictObject({ templateId: id("template, `tpl_…`") }),
    annotations: readOnly,
    toInput: ({ templateId }) => ({ params: { id: templateId } }),
  }),
];
