import { expect, test } from "vitest";
import type { Platform } from "./context.ts";
import { createState, defineState, type StateDefinition } from "./state.ts";

const platform = { config: { port: 1 } } as Platform;
const create = () => createState(() => platform);

test("a value is created once per process, from the platform", () => {
  const counter = defineState({ name: "counter", create: ({ config }) => ({ port: config.port, n: 0 }) });
  const state = create();
  state.get(counter).n++;
  expect(state.get(counter)).toEqual({ port: 1, n: 1 });
  expect(create().get(counter).n).toBe(0);
});

test("a value whose creation failed is created again", () => {
  let attempts = 0;
  const failing = defineState({
    name: "failing",
    create() {
      attempts++;
      if (attempts === 1) throw new Error("not yet");
      return attempts;
    },
  });
  const state = create();
  expect(() => state.get(failing)).toThrow("not yet");
  expect(state.get(failing)).toBe(2);
});

test("a value that needs itself is an error that names it", () => {
  const state: ReturnType<typeof createState> = create();
  const circle: StateDefinition<unknown> = { name: "circle", create: () => state.get(circle) };
  expect(() => state.get(circle)).toThrow('The state "circle" needs itself.');
});

test("values stop in the opposite order of their creation", async () => {
  const stopped: string[] = [];
  const named = (name: string) =>
    defineState({ name, create: () => name, stop: async (value) => void stopped.push(value) });
  const [first, second] = [named("first"), named("second")];
  const state = create();
  state.get(first);
  state.get(second);
  await state.stop();
  await state.stop();
  expect(stopped).toEqual(["second", "first"]);
});
