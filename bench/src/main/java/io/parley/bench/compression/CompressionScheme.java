package io.parley.bench.compression;

import io.parley.bench.workload.EmployeeFile;
import io.parley.codec.compress.GzipEncodingScheme;
import io.parley.codec.compress.TreechopEncodingScheme;
import io.parley.codec.compress.XmlPpmEncodingScheme;
import io.parley.encoding.EncodingScheme;
import io.parley.message.MessageElement;
import io.parley.message.Payload;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;

/** An encoding scheme that is measured. */
public enum CompressionScheme {
    /** gzip. */
    GZIP(new GzipEncodingScheme()),
    /** TREECHOP. */
    TREECHOP(new TreechopEncodingScheme()),
    /** XMLPPM. */
    XMLPPM(new XmlPpmEncodingScheme());

    private final EncodingScheme scheme;

    CompressionScheme(EncodingScheme scheme) {
        this.scheme = scheme;
    }

    /** Returns the labels of all schemes. */
    public static List<String> labels() {
        return Arrays.stream(values()).map(CompressionScheme::label).toList();
    }

    /** Returns the scheme with that label. */
    static CompressionScheme labelled(String label) {
        return Arrays.stream(values())
                .filter(scheme -> scheme.label().equals(label))
                .findFirst()
                .orElseThrow(() ->
                        new IllegalArgumentException("scheme: %s (expected: one of %s)".formatted(label, labels())));
    }

    /** Returns the name in results. */
    public String label() {
        return scheme.name();
    }

    EncodingScheme scheme() {
        return scheme;
    }

    /** Returns the element with an employee file. */
    static MessageElement element(int records) {
        return MessageElement.ofXml("employees", new String(EmployeeFile.of(records, 0), StandardCharsets.US_ASCII));
    }

    /** Returns the encoded content of an element, which must become smaller. */
    Payload encode(MessageElement element) {
        if (!scheme.accepts(element)) {
            throw new IllegalStateException(label() + ": does not accept " + element);
        }
        return scheme.encode(element)
                .orElseThrow(() -> new IllegalStateException(label() + ": does not make smaller " + element));
    }

    /** Returns the encoded bytes of an employee file. */
    public int encodedBytes(int records) {
        return (int) encode(element(records)).size();
    }
}
