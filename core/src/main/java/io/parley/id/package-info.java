/**
 * Who and what things are: typed, immutable ids of peers, groups and pipes, with a text form that notices typing errors
 * and pasted ids of the wrong kind. Start with {@link io.parley.id.PeerId}; {@link io.parley.id.Id#parse} reads an id of
 * any kind. The package needs nothing but the JDK.
 *
 * <p>The text of an id is RFC 4648 base32 in lower case without padding, over {@code payload || checksum}. The sizes are
 * such that no bits are left over, so an id has exactly one text:
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
 * <p>Threads: every type here is immutable and may be shared freely.
 */
@NullMarked
package io.parley.id;

import org.jspecify.annotations.NullMarked;
