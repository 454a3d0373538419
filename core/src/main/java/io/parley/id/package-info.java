/**
 * Typed, immutable ids of peers, groups and pipes. Their text form detects typing errors and pasted ids of the wrong
 * kind. Start with {@link io.parley.id.PeerId}; {@link io.parley.id.Id#parse} parses an id of any kind. The package depends on the JDK only.
 *
 * <p>The text of an id is RFC 4648 base32 in lower case without padding, over {@code payload || checksum}. The sizes leave no unused bits, so an id has exactly one text:
 *
 * <pre>
 *   kind    payload                          checksum   text        kind byte
 *   peer    32 bytes: Ed25519 public key     3 bytes    56 chars    1
 *   group   16 bytes                         4 bytes    32 chars    2
 *   pipe    16 bytes group, 16 bytes pipe    3 bytes    56 chars    3
 *
 *   checksum = first bytes of SHA-256("parley-id" || kind byte || payload)
 * </pre>
 *
 * <p>The URN form puts {@code urn:parley:peer:}, {@code urn:parley:group:} or {@code urn:parley:pipe:} before the text.
 *
 * <p>All types are immutable and thread-safe.
 */
@NullMarked
package io.parley.id;

import org.jspecify.annotations.NullMarked;
