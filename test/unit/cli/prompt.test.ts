import { PassThrough, Readable } from "node:stream";
import { expect, test } from "vitest";
import { openPrompt } from "../../../src/commands/remote/prompt.ts";

/** A simulated terminal. */
function terminal() {
  const input = Object.assign(new PassThrough(), { isTTY: true, setRawMode() {} });
  const output = new PassThrough();
  let shown = "";
  output.setEncoding("utf8").on("data", (text: string) => {
    shown += text;
  });
  return { input, output, shown: () => shown };
}

test("at a terminal the question is shown, and hidden input is not", async () => {
  const { input, output, shown } = terminal();
  const prompt = openPrompt(input, output);
  const secret = prompt.ask("Password: ", { hidden: true });
  input.write("hunter3\u007f2\r");
  expect(await secret).toBe("hunter2");
  const code = prompt.ask("Code: ");
  input.write("123456\r");
  expect(await code).toBe("123456");
  prompt.close();
  expect(shown()).toContain("Password: ");
  expect(shown()).toContain("Code: ");
  expect(shown()).toContain("123456");
  expect(shown()).not.toMatch(/hunter|unter/);
});

test("from a pipe the lines are read one by one, without questions", async () => {
  const output = new PassThrough();
  const prompt = openPrompt(Readable.from(["first\nsec", "ond\n"]), output);
  expect(await prompt.ask("Password: ", { hidden: true })).toBe("first");
  expect(await prompt.ask("Code: ")).toBe("second");
  await expect(prompt.ask("Code: ")).rejects.toThrow("Code: nothing was entered.");
  expect(output.readableLength).toBe(0);
});

test("the input is not read before the first question", async () => {
  const input = Readable.from(["for somebody else\n"]);
  openPrompt(input, new PassThrough()).close();
  expect(input.readableFlowing).toBeNull();
  expect(await input.toArray()).toEqual(["for somebody else\n"]);
});
