import { entry } from "../../texts/entry.ts";

/** The steps of the API, in the order they are offered. The first one is done by setting up. */
export const stepOrder = [
  "owner",
  "discover_server",
  "connect_account",
  "run_automation",
  "connect_repository",
  "invite_someone",
] as const;

/** What comes after setting up. */
export const StepsAhead = () => (
  <>
    <h2 className="eyebrow">{entry.setup.stepsIntro}</h2>
    <ol className="track" aria-label={entry.setup.stepsLabel}>
      {stepOrder.map((step, i) => (
        <li key={step}>
          <span className={i === 0 ? "sig now" : "sig"} aria-hidden>
            {i + 1}
          </span>
          <div>
            <h3>{entry.steps[step].title}</h3>
            <p>{entry.steps[step].text}</p>
          </div>
        </li>
      ))}
    </ol>
  </>
);
