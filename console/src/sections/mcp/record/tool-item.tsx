import { Ban, ChevronDown, ChevronRight, Ellipsis, Eye, EyeOff, Globe, Trash2 } from "lucide-react";
import { useState } from "react";
import { showInvisible } from "../../../lib/invisible.ts";
import { isHidden, mayExecute } from "../../../lib/tool-patterns.ts";
import { mcp as texts } from "../../../texts/mcp.ts";
import { IconButton } from "../../../ui/button.tsx";
import { Menu, MenuItem, MenuLabel } from "../../../ui/menu.tsx";
import { Tag } from "../../../ui/state.tsx";
import type { Policy, Tool } from "../types.ts";
import { ToolDetails } from "./tool-details.tsx";

const { tools: words } = texts;

interface ToolItemProps {
  tool: Tool;
  policy: Policy;
  /** Undefined for people who may not change the policy. */
  onPolicy: ((policy: Policy) => void) | undefined;
}

/** One tool in a line, with its hints and whether it can be called. Opens to its description and parameters. */
export function ToolItem({ tool, policy, onPolicy }: ToolItemProps) {
  const [isOpen, setIsOpen] = useState(false);
  const Chevron = isOpen ? ChevronDown : ChevronRight;
  return (
    <li>
      <div className="row">
        <button type="button" className="tool-top" aria-expanded={isOpen} onClick={() => setIsOpen(!isOpen)}>
          <Chevron className="i s t3" aria-hidden />
          <span className="tool-names">
            <code className="t strong cut" title={tool.name}>
              {showInvisible(tool.name)}
            </code>
            {tool.title !== null && <span className="small t3 cut">{showInvisible(tool.title)}</span>}
          </span>
        </button>
        <span className="row wrap tool-tags">
          <Hints tool={tool} />
          {tool.why !== null && (
            <Tag tone={tool.why === "held" ? "care" : "none"} outlined={tool.why !== "held"}>
              {words.why[tool.why]}
            </Tag>
          )}
          {!tool.listed && (
            <Tag outlined icon={EyeOff}>
              {words.hidden}
            </Tag>
          )}
        </span>
        {onPolicy && <ToolMenu tool={tool} policy={policy} onPolicy={onPolicy} />}
      </div>
      {isOpen && <ToolDetails tool={tool} />}
    </li>
  );
}

function Hints({ tool: { annotations, isDestructive } }: { tool: Tool }) {
  const isReadOnly = annotations?.readOnlyHint === true;
  const isOpenWorld = annotations?.openWorldHint === true;
  return (
    <>
      {isReadOnly && !isDestructive && (
        <Tag tone="ok" icon={Eye}>
          {words.readOnly}
        </Tag>
      )}
      {isDestructive && (
        <Tag tone="bad" icon={Trash2}>
          {words.destructive}
        </Tag>
      )}
      {isOpenWorld && (
        <Tag tone="care" icon={Globe}>
          {words.openWorld}
        </Tag>
      )}
    </>
  );
}

/** Denies or hides one tool by its exact name. */
function ToolMenu({ tool: { name }, policy, onPolicy }: ToolItemProps & { onPolicy(policy: Policy): void }) {
  const isDenied = policy.deny.includes(name);
  const isHiddenByName = policy.hide.includes(name);
  const isByPattern = (!isDenied && !mayExecute(policy, name)) || (!isHiddenByName && isHidden(policy, name));
  const toggle = (patterns: readonly string[]) =>
    patterns.includes(name) ? patterns.filter((pattern) => pattern !== name) : [...patterns, name];
  return (
    <Menu trigger={<IconButton icon={Ellipsis} label={words.actions(name)} />}>
      <MenuItem icon={Ban} onSelect={() => onPolicy({ ...policy, deny: toggle(policy.deny) })}>
        {isDenied ? words.undeny : words.deny}
      </MenuItem>
      <MenuItem
        icon={isHiddenByName ? Eye : EyeOff}
        onSelect={() => onPolicy({ ...policy, hide: toggle(policy.hide) })}
      >
        {isHiddenByName ? words.unhide : words.hide}
      </MenuItem>
      {isByPattern && <MenuLabel>{words.byPattern}</MenuLabel>}
    </Menu>
  );
}
