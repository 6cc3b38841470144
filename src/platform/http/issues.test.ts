import { expect, test } from "vitest";
import { z } from "zod";
import type { Refusal } from "../errors.ts";
import { recordOf } from "./fields.ts";
import { check } from "./input.ts";

const schema = z.object({
  email: z.email().max(40),
  password: z.string().min(8, "A password has at least 8 characters."),
  name: z.string().trim().min(1).max(5),
  count: z.int().min(1).max(9),
  role: z.enum(["owner", "member"]),
  tags: z.array(z.string()).min(1).max(2),
  active: z.boolean(),
  either: z.union([z.string(), z.number()]),
  schedule: z.discriminatedUnion("kind", [
    z.object({ kind: z.literal("manual") }),
    z.object({ kind: z.literal("daily") }),
  ]),
  link: z.url(),
});

/** The message for each field path of the refusal. */
const complaints = (given: unknown) => readComplaints(schema, given);
function readComplaints(schema: z.ZodType, given: unknown): Record<string, string> {
  try {
    check(schema, given);
    return {};
  } catch (error) {
    const details = (error as Refusal).body.details as { path: string[]; message: string }[];
    return Object.fromEntries(details.map(({ path, message }) => [path.join("."), message]));
  }
}

test("the message for a missing field is that it is required", () => {
  const names = [
    "email",
    "password",
    "name",
    "count",
    "role",
    "tags",
    "active",
    "either",
    "schedule",
    "link",
  ];
  const { schedule: _, ...fields } = complaints({});
  for (const [name, message] of Object.entries(fields))
    expect([name, message]).toEqual([name, "This field is required."]);
  expect(Object.keys(complaints({}))).toEqual(names);
  expect(complaints({}).schedule).toBe("This field is required.");
});

test("the message for a wrong field is plain English, without terms of the schema library", () => {
  expect(
    complaints({
      email: "ada",
      password: "short",
      name: " ",
      count: 1.5,
      role: "king",
      tags: [],
      active: "yes",
      either: null,
      schedule: { kind: "sometimes" },
      link: "example",
    }),
  ).toEqual({
    email: "Must be an e-mail address, such as ada@example.com.",
    password: "A password has at least 8 characters.",
    name: "Must not be empty.",
    count: "Must be a whole number, not 1.5.",
    role: "Must be one of owner, member.",
    tags: "Must have at least 1 item.",
    active: "Must be true or false, not text.",
    either: "Must be text or a number, not null.",
    "schedule.kind": "Must be one of manual, daily.",
    link: "Must be a URL, such as https://example.com.",
  });
  const Scalar = z.union([z.number(), z.string().max(2), z.boolean(), z.null()]);
  expect(readComplaints(z.record(z.string(), Scalar), { list: [], object: {}, text: "abc" })).toEqual({
    list: "Must be a number, text, true or false, or null, not a list.",
    object: "Must be a number, text, true or false, or null, not an object.",
    text: "Must have at most 2 characters.",
  });
  expect(readComplaints(z.object({ a: z.union([z.string(), z.literal("")]) }), { a: 5 })).toEqual({
    a: "Must be text, not 5.",
  });
  expect(
    complaints({ name: "too long", count: 10, tags: ["a", "b", "c"], email: 5, active: null }),
  ).toMatchObject({
    name: "Must have at most 5 characters.",
    count: "Must be at most 9.",
    tags: "Must have at most 2 items.",
    email: "Must be text, not 5.",
    active: "Must be true or false, not null.",
  });
});

test("lists and objects that are too long are refused before their parts are checked", () => {
  const wrong = Array.from({ length: 80_000 }, (_, i) => i);
  expect(readComplaints(z.object({ list: z.array(z.enum(["a", "b"])).max(2) }), { list: wrong })).toEqual({
    list: "Must have at most 2 items.",
  });
  const labels = recordOf(z.string().max(2), z.string(), 3, "labels");
  expect(readComplaints(z.object({ labels }), { labels: { ...wrong } })).toEqual({
    labels: "At most 3 labels.",
  });
  expect(readComplaints(z.object({ labels }), { labels: { a: "b", long: "c", d: 1 } })).toEqual({
    "labels.long": "The name is not allowed. Must have at most 2 characters.",
    "labels.d": "Must be text, not 1.",
  });
  for (const labels of [[], null, "text"])
    expect(
      Object.keys(
        readComplaints(z.object({ labels: recordOf(z.string(), z.string(), 3, "labels") }), { labels }),
      ),
    ).toEqual(["labels"]);
  expect(z.toJSONSchema(z.object({ labels }), { io: "input" })).toMatchObject({
    properties: { labels: { type: "object", propertyNames: { maxLength: 2 } } },
    required: ["labels"],
  });
});

test("the limits of a text count characters, as minLength and maxLength of its description do", () => {
  expect(z.toJSONSchema(schema.shape.name)).toMatchObject({ maxLength: 5 });
  // Each of them is one character in two UTF-16 units.
  expect(complaints({ name: "😀".repeat(5), password: "😀".repeat(7) })).not.toHaveProperty("name");
  expect(complaints({ name: "😀".repeat(6), password: "😀".repeat(7) })).toMatchObject({
    name: "Must have at most 5 characters.",
    password: "A password has at least 8 characters.",
  });
});
