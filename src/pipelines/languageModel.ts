import type { ToolIdentity } from '../core/tool.ts';
import type { AgentNode } from './definition/definition.ts';
import type { Json } from './definition/json.ts';

/** The models that agent nodes work with. In the editor: VS Code's. */
export interface LanguageModels {
  /** Undefined: there is none such. */
  select(wanted: AgentNode['model']): Promise<LanguageModel | undefined>;
}

export interface LanguageModel {
  /**
   * One round: the model answers, or asks for tools. It calls none itself; one that did says so by `usedOutside`.
   *
   * @throws anything: the node has failed then, or is held where the signal is aborted.
   */
  ask(request: ModelRequest, cancelled: AbortSignal): Promise<ModelAnswer>;
}

export interface ModelRequest {
  readonly messages: readonly ModelMessage[];
  /** The only tools it may ask for. */
  readonly tools: readonly ToolIdentity[];
}

export type ModelMessage =
  | { readonly role: 'user'; readonly text: string }
  | { readonly role: 'model'; readonly text: string; readonly calls: readonly ModelCall[] }
  | { readonly role: 'tools'; readonly results: readonly { readonly callId: string; readonly text: string }[] };

export interface ModelCall {
  readonly id: string;
  readonly tool: ToolIdentity;
  readonly input: Json;
}

export interface ModelAnswer {
  readonly text: string;
  /** None: the model has come to its end. */
  readonly calls: readonly ModelCall[];
  /** It used tools of its own that did not go through Holdfast (R10). */
  readonly usedOutside: boolean;
}
