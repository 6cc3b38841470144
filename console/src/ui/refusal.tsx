import { common } from "../texts/common.ts";
import { Button } from "./button.tsx";
import { Dialog } from "./dialog.tsx";
import { FormProblem } from "./form.tsx";
import { describeProblem } from "./problem.ts";

interface RefusalProps {
  /** An action of `useAction` that was begun with `start`. */
  of: { error: unknown; reset(): void };
}

/** What the server refused, where there is room for it. */
export const Refusal = ({ of: { error } }: RefusalProps) => (
  <FormProblem problem={error === undefined ? undefined : describeProblem(error)} />
);

/** What the server refused after a choice in a menu or in a row, where there is no room for it. */
export const RefusalDialog = ({ of }: RefusalProps) =>
  of.error === undefined ? null : (
    <Dialog open onClose={of.reset} title={common.error.refused}>
      <Refusal of={of} />
      <footer className="row dlg-acts">
        <Button look="primary" onClick={of.reset}>
          {common.actions.close}
        </Button>
      </footer>
    </Dialog>
  );
