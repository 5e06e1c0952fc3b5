import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import type { ReadBuffer, serializeMessage } from '@modelcontextprotocol/sdk/shared/stdio.js';
import type {
  CallToolResultSchema,
  McpError,
  ResultSchema,
  ToolListChangedNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js';
import type { AjvJsonSchemaValidator } from '@modelcontextprotocol/sdk/validation/ajv';

/** The parts of the SDK that are used here. */
export interface Sdk {
  readonly Client: typeof Client;
  readonly ReadBuffer: typeof ReadBuffer;
  readonly serializeMessage: typeof serializeMessage;
  readonly McpError: typeof McpError;
  readonly ResultSchema: typeof ResultSchema;
  readonly CallToolResultSchema: typeof CallToolResultSchema;
  readonly ToolListChangedNotificationSchema: typeof ToolListChangedNotificationSchema;
  readonly AjvJsonSchemaValidator: typeof AjvJsonSchemaValidator;
}

/** Loads the SDK when a server is first needed: a window without servers never does. */
export async function loadSdk(): Promise<Sdk> {
  const [client, stdio, types, schemas] = await Promise.all([
    import('@modelcontextprotocol/sdk/client/index.js'),
    import('@modelcontextprotocol/sdk/shared/stdio.js'),
    import('@modelcontextprotocol/sdk/types.js'),
    import('@modelcontextprotocol/sdk/validation/ajv'),
  ]);
  return {
    Client: client.Client,
    ReadBuffer: stdio.ReadBuffer,
    serializeMessage: stdio.serializeMessage,
    McpError: types.McpError,
    ResultSchema: types.ResultSchema,
    CallToolResultSchema: types.CallToolResultSchema,
    ToolListChangedNotificationSchema: types.ToolListChangedNotificationSchema,
    AjvJsonSchemaValidator: schemas.AjvJsonSchemaValidator,
  };
}
