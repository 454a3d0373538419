package io.parley.codec.compress;

import io.parley.codec.compress.internal.CompressedContent;
import io.parley.encoding.EncodingScheme;
import io.parley.message.MessageElement;
import io.parley.message.Payload;
import java.util.Optional;

/**
 * Compresses XML by predicting each part of it from the document before it: names, attributes and texts from those of elements with the same
 * path. After XMLPPM (Cheney: Compressing XML with Multiplexed Hierarchical PPM Models, DCC 2001), with predictions that are mixed. A
 * result has half to four fifths of the size of that of gzip. Encoding takes 30 times and decoding 200 times as long, up to a microsecond for
 * each byte, so the scheme saves traffic rather than time: gzip is faster on links of more than about 500 kbit/s.
 *
 * <p>Some contents are compressed by deflate: XML of more than 1 MiB or of more than 64 bytes for each byte of the result, XML that
 * cannot be split into balanced elements, and all that is not XML. Each content is restored byte for byte. An element is sent unencoded if
 * it does not become smaller. Elements that {@link GzipEncodingScheme} does not accept are not accepted here either. Stateless and
 * thread-safe.
 *
 * <p>The scheme is not found by {@link java.util.ServiceLoader}: a remote peer that sends such elements uses the processor of the
 * receiver, so the receiver must name the scheme (for a pipe, by {@code withDecoding}). The pipes of services and workers and zero-copy
 * pipes decode on an event loop, which a large document delays for up to a second: do not pass the scheme to those.
 */
public final class XmlPpmEncodingScheme implements EncodingScheme {

    private static final CompressedContent FORMAT = CompressedContent.xmlPpm();

    @Override
    public String name() {
        return "xmlppm";
    }

    @Override
    public boolean accepts(MessageElement element) {
        return CompressibleTypes.includes(element);
    }

    @Override
    public Optional<Payload> encode(MessageElement element) {
        return FORMAT.compress(element.payload());
    }

    @Override
    public Payload decode(MessageElement element, long maxBytes) {
        return FORMAT.expand(element.payload(), maxBytes);
    }

    @Override
    public long maxDecodedBytes(MessageElement element) {
        return CompressedContent.statedLength(element.payload());
    }
}
