import fc from "fast-check";
import { expect, test } from "vitest";
import { describeCron } from "./cron-words.ts";

test.each([
  ["45 8,16 * * mon-fri", "Weekdays, 08:45 and 16:45"],
  ["30 1 * * tue-sat", "Tue–Sat, 01:30"],
  ["0 8-18/2 * * mon-fri", "Weekdays, every 2 hours from 08:00 to 18:00"],
  ["0 9-17 * * MON-FRI", "Weekdays, every hour from 09:00 to 17:00"],
  ["*/15 9-17 * * 1-5", "Weekdays, every 15 minutes from 09:00 to 17:45"],
  ["0 0 * * 0", "Sun, 00:00"],
  ["0 12 * * 6,0", "Weekends, 12:00"],
  ["0 12 * * 6,7", "Weekends, 12:00"],
  ["0 9 * * mon,wed,fri", "Mon, Wed, Fri, 09:00"],
  ["0 7 1,15 * *", "Days 1 and 15 of the month, 07:00"],
  ["0 7 1 1,4,7,10 *", "Day 1 of the month, in Jan, Apr, Jul and Oct, 07:00"],
  ["0 7 * 6-8 *", "Every day, in Jun–Aug, 07:00"],
  ["0 7 1 * mon", "Day 1 of the month or Mon, 07:00"],
  ["*/7 * * * *", "Every day, every 7 minutes from :00 to :56 of each hour"],
  ["5,35 * * * *", "Every day, every hour at :05 and :35"],
  ["* * * * *", "Every day, every minute"],
  ["*/10 * * * sat", "Sat, every 10 minutes"],
  ["30 */5 * * *", "Every day, every 5 hours from 00:30 to 20:30"],
  ["15 */6 * * mon", "Mon, 00:15, 06:15, 12:15 and 18:15"],
  ["@weekly", "Sun, 00:00"],
  ["  0   9 * * *  ", "Every day, 09:00"],
])("a cron expression in words: %s", (expression, words) => {
  expect(describeCron(expression)).toBe(words);
});

test.each([
  "",
  "0 9 * *",
  "0 9 * * * *",
  "61 * * * *",
  "0 24 * * *",
  "0 9 * * mon-",
  "0 9 0 * *",
  "0 9 * 13 *",
  "0 17-9 * * *",
  "*/0 * * * *",
  // Both days must match when one of them begins with a star.
  "0 9 */2 * mon",
  // Too many times for a sentence.
  "1,2,5,9,11 3,7,8 * * *",
  "1,2,5,9,11 * * * *",
])("is undefined where words would be wrong or too long: %s", (expression) => {
  expect(describeCron(expression)).toBeUndefined();
});

test("no text makes it fail", () => {
  const part = fc.stringMatching(/^[0-9a-z*/,?@-]{0,6}$/);
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string(),
        fc.array(part, { maxLength: 6 }).map((all) => all.join(" ")),
      ),
      (text) => {
        expect(describeCron(text) ?? "").not.toMatch(/undefined|NaN/);
      },
    ),
    { numRuns: 2_000 },
  );
});
