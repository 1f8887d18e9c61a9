import type { ExplanationView as Explanation } from "@toolweave/console";
import { safeLine, safeProse, safeText } from "../text/safe-text.ts";
import { EffectBadge } from "../ui/badge.tsx";

/** The decision on a call: for each permission the rule, the reason, the remedy and the other rules. */
export function ExplanationView({ explanation }: { explanation: Explanation }) {
  const { effect, problem, requests, advertised } = explanation;
  return (
    <div class="explanation">
      <p class="explanation-effect">
        <EffectBadge effect={effect} /> {summary(effect)}
      </p>
      {!advertised && <p class="notice warning">The policy hides this tool from models.</p>}
      {problem !== undefined && (
        <p class="notice bad">
          {safeText(problem.message)} <span class="muted">({safeLine(problem.code)})</span>
        </p>
      )}
      {requests.map((request, index) => (
        <section key={index} class="card">
          <h3>
            <EffectBadge effect={request.effect} />{" "}
            {request.permission === undefined ? "The call" : safeProse(request.permission.summary)}
          </h3>
          <dl class="facts">
            {request.permission !== undefined && (
              <div>
                <dt>Permission</dt>
                <dd>
                  <code class="code">
                    {safeLine(request.permission.kind)} {safeLine(request.permission.target)}
                  </code>
                </dd>
              </div>
            )}
            <div>
              <dt>Rule</dt>
              <dd>
                <code class="code">{safeLine(request.rule)}</code> of {safeLine(request.layer)}
              </dd>
            </div>
            <div>
              <dt>Reason</dt>
              <dd>{safeProse(request.reason)}</dd>
            </div>
            {request.remedy !== undefined && (
              <div>
                <dt>To change it</dt>
                <dd>{safeProse(request.remedy)}</dd>
              </div>
            )}
            {request.grant !== undefined && (
              <div>
                <dt>Grant</dt>
                <dd>
                  Answered by the grant <code class="code">{safeLine(request.grant.id)}</code>
                </dd>
              </div>
            )}
          </dl>
          {request.considered.length > 1 && (
            <details class="disclosure">
              <summary>All {request.considered.length} rules that apply</summary>
              <ul class="considered">
                {request.considered.map((decision, position) => (
                  <li key={position}>
                    <EffectBadge effect={decision.effect} />{" "}
                    <code class="code">{safeLine(decision.rule)}</code> {safeProse(decision.reason)}
                  </li>
                ))}
              </ul>
            </details>
          )}
        </section>
      ))}
    </div>
  );
}

function summary(effect: Explanation["effect"]): string {
  if (effect === "allow") return "The call would run.";
  return effect === "ask" ? "A person would be asked first." : "The call would be refused.";
}
