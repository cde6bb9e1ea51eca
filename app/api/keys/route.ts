import { listKeysContract } from "@/lib/contracts/list-keys";
import { bindRoute, createHandlers } from "@/lib/http/route";
import { listKeys } from "@/lib/services/list-keys";

export const { GET, HEAD, OPTIONS, POST, PUT, PATCH, DELETE } = createHandlers(bindRoute(listKeys, listKeysContract));
