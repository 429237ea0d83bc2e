import { encodeJson } from '../../core/decode/encode-json.ts';
import { parseJson } from '../../core/decode/parse-json.ts';
import type { JsonValue } from '../../core/meta/json.ts';
import { parseYamlAside } from '../../platform/decoding/parse-yaml-aside.ts';
import { renameToHost } from '../../platform/resources/host-groups.ts';
import type { HiddenMembers } from './hidden-members.ts';
import type { OwnRoute } from './host-route.ts';
import { JsonRewriter } from './json-rewriter.ts';

/** A body and the media type that it has now. */
export interface ForwardedBody {
  readonly bytes: Buffer;
  readonly contentType: string;
}

const jsonType = 'application/json';
const OPENING_BRACE = 0x7b;
const CLOSING_BRACE = 0x7d;

/**
 * What the client calls `v1` is called otherwise at the host; and since they change places, a client's wrong name stays wrong there,
 * and the host's refusal, with its names changed back, says what the client needs to know.
 */
function swapApiVersions({ apiVersion, hostApiVersion }: OwnRoute): ReadonlyMap<string, string> {
  if (apiVersion === hostApiVersion) return new Map();
  return new Map([
    [apiVersion, hostApiVersion],
    [hostApiVersion, apiVersion],
  ]);
}

/** The rewritten object, with the apiVersion and kind of the endpoint where it has none: custom resources are not read without. */
function renameJsonObject(bytes: Buffer, route: OwnRoute, fillsType: boolean, dropped: HiddenMembers): Buffer {
  const rewriter = new JsonRewriter({ apiVersions: swapApiVersions(route), hidden: dropped });
  const renamed = Buffer.concat(rewriter.push(bytes));
  // The host says what is wrong with it.
  if (!rewriter.isComplete) return bytes;
  if (!fillsType) return renamed;
  const missing = Object.entries({ apiVersion: route.hostApiVersion, kind: route.kind.kind })
    .filter(([name]) => !rewriter.topNames.has(name))
    .map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`);
  const at = renamed.findIndex((byte) => byte !== 0x20 && byte !== 0x09 && byte !== 0x0a && byte !== 0x0d);
  if (missing.length === 0 || renamed[at] !== OPENING_BRACE) return renamed;
  const rest = renamed.subarray(at + 1);
  const first = rest.find((byte) => byte !== 0x20 && byte !== 0x09 && byte !== 0x0a && byte !== 0x0d);
  const comma = first === CLOSING_BRACE ? '' : ',';
  return Buffer.concat([renamed.subarray(0, at + 1), Buffer.from(missing.join(',') + comma), rest]);
}

function encodeRenamed(value: JsonValue, route: OwnRoute, dropped: HiddenMembers): Buffer {
  return renameJsonObject(Buffer.from(encodeJson(value)), route, true, dropped);
}

/** Lines of a block mapping's own members: what is inside them is indented. */
const apiVersionLine = /^(["']?)apiVersion\1[ \t]*:[ \t]+(["']?)([^\s"'#]+)\2[ \t]*(#.*)?$/m;
const kindLine = /^(["']?)kind\1[ \t]*:[ \t]/m;

/** Renames YAML in its text where that is safe, so that the host sees its repeated keys; else as the JSON that it means. */
async function renameYaml(
  bytes: Buffer,
  contentType: string,
  route: OwnRoute,
  dropped: HiddenMembers,
): Promise<ForwardedBody> {
  const text = bytes.toString('utf8');
  const found = apiVersionLine.exec(text);
  const documents = text.match(/^---/gm)?.length ?? 0;
  if (
    dropped.size === 0 &&
    found !== null &&
    kindLine.test(text) &&
    documents < 2 &&
    !/^\s*managedFields/m.test(text)
  ) {
    const [line = '', , , value = ''] = found;
    const renamed = swapApiVersions(route).get(value) ?? value;
    const start = found.index + line.indexOf(value, line.indexOf(':'));
    const replaced = text.slice(0, start) + renamed + text.slice(start + value.length);
    return { bytes: Buffer.from(replaced), contentType };
  }
  const parsed = await parseYamlAside(bytes);
  if ('fault' in parsed) return { bytes, contentType };
  const isPatch = contentType.startsWith('application/apply-patch');
  return { bytes: encodeRenamed(parsed.value, route, dropped), contentType: isPatch ? contentType : jsonType };
}

/** Kubernetes' own clients write their own kinds so; custom resources are not read from it. */
async function decodeProtobuf(
  bytes: Buffer,
  route: OwnRoute,
  dropped: HiddenMembers,
): Promise<ForwardedBody | undefined> {
  const { parseProtobuf } = await import('../../kinds/workloads/parse-protobuf.ts');
  const parsed = parseProtobuf(bytes, { apiVersion: route.apiVersion, kind: route.kind.kind });
  if ('fault' in parsed) return undefined;
  return { bytes: encodeRenamed(parsed.value, route, dropped), contentType: jsonType };
}

/** The body of a write as the host must get it, without the members to be dropped. What cannot be read goes as it is: the host says what is wrong with it. */
export async function renameRequestBody(
  bytes: Buffer,
  contentType: string | undefined,
  route: OwnRoute,
  dropped: HiddenMembers = new Map(),
): Promise<ForwardedBody> {
  const given = contentType === undefined || contentType === '' ? jsonType : contentType;
  const mediaType = given.split(';', 1)[0]?.trim().toLowerCase();
  switch (mediaType) {
    case 'application/json':
      return { bytes: renameJsonObject(bytes, route, true, dropped), contentType: given };
    case 'application/merge-patch+json':
      return { bytes: renameJsonObject(bytes, route, false, dropped), contentType: given };
    case 'application/yaml':
    case 'application/apply-patch+yaml':
      return renameYaml(bytes, given, route, dropped);
    case 'application/json-patch+json': {
      const parsed = parseJson(bytes);
      if ('fault' in parsed || route.renaming === undefined) return { bytes, contentType: given };
      return { bytes: Buffer.from(encodeJson(renameToHost(route.renaming, parsed.value))), contentType: given };
    }
    case 'application/vnd.kubernetes.protobuf':
      return (await decodeProtobuf(bytes, route, dropped)) ?? { bytes, contentType: given };
    default:
      return { bytes, contentType: given };
  }
}
