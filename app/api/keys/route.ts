import { listKeysContract } from "@/lib/contracts/list-keys";
import { route, routes } from "@/lib/http/route";
import { listKeys } from "@/lib/services/list-keys";

export const { GET, HEAD, OPTIONS, POST, PUT, PATCH, DELETE } = routes(route(listKeys, listKeysContract));
