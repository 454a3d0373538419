package io.parley.codec.xml.fastinfoset;

import io.parley.message.Payload;

/**
 * A piece of an element's content.
 *
 * @param payload characters in UTF-8, checked; or octets. Lies in an array
 * @param octets whether they are octets, which stand for their base64 text
 */
record Chunk(Payload payload, boolean octets) {}
