import { TerminalSquare } from "lucide-react";
import { mcp as texts } from "../../texts/mcp.ts";
import { Button } from "../../ui/button.tsx";
import { CopyRow } from "../../ui/copy.tsx";

/** The address that agents use. The same origin serves the console and `/mcp`. */
export const EndpointNote = ({ onSnippets }: { onSnippets(): void }) => (
  <section className="field epnote">
    <div className="row">
      <h2 className="sub-title grow">{texts.endpoint.title}</h2>
      <Button look="quiet" size="s" icon={TerminalSquare} onClick={onSnippets}>
        {texts.addToClient}
      </Button>
    </div>
    <CopyRow value={`${window.location.origin}/mcp`} />
    <p className="hint">{texts.endpoint.hint}</p>
  </section>
);
