import type { DataOf } from "../contracts/define";
import type { getOpenapiContract } from "../contracts/get-openapi";
import { getOpenapiDocument } from "../contracts/openapi";

export async function getOpenapi(): Promise<DataOf<typeof getOpenapiContract>> {
  return getOpenapiDocument();
}
