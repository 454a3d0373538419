package io.parley.codec.xml.fastinfoset;

import io.parley.message.Payload;

/**
 * A chunk of the content of an element (X.891: character information items).
 *
 * @param payload checked characters in UTF-8, or octets; has an array
 * @param octets whether the payload is octets, which represent their base64 text
 */
record Chunk(Payload payload, boolean octets) {}
