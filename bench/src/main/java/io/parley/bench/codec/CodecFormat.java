package io.parley.bench.codec;

import com.ctc.wstx.stax.WstxInputFactory;
import com.fasterxml.aalto.stax.InputFactoryImpl;
import io.parley.codec.CodecSession;
import io.parley.codec.MessageCodec;
import io.parley.codec.MessageLimits;
import io.parley.codec.xml.XmlMessageCodec;
import io.parley.codec.xml.fastinfoset.FastInfosetMessageCodec;
import java.util.Arrays;
import java.util.List;
import java.util.function.Supplier;

/** A codec and the lifetime of its sessions. */
public enum CodecFormat {
    /** JXTA's binary format. */
    BINARY("binary", session(MessageCodec.binary()), true),
    /** JXTA's XML format as text. */
    XML("xml", session(new XmlMessageCodec()), true),
    /** The same text, read by a loop over Aalto's events without any checks. */
    XML_AALTO("xml-aalto", () -> new StaxSession(new InputFactoryImpl()), true),
    /** The same text, read by a loop over Woodstox's events without any checks. */
    XML_WOODSTOX("xml-woodstox", () -> new StaxSession(new WstxInputFactory()), true),
    /** Fast Infoset with a new session for each message: the cost of a single message. */
    FAST_INFOSET_FRESH("fastinfoset-fresh", session(new FastInfosetMessageCodec()), false),
    /** Fast Infoset with one session for all messages of a sequence. */
    FAST_INFOSET_RETAINED("fastinfoset-retained", session(new FastInfosetMessageCodec()), true);

    private final String label;
    private final Supplier<CodecSession> sessions;
    private final boolean retained;

    CodecFormat(String label, Supplier<CodecSession> sessions, boolean retained) {
        this.label = label;
        this.sessions = sessions;
        this.retained = retained;
    }

    private static Supplier<CodecSession> session(MessageCodec codec) {
        return () -> codec.newSession(MessageLimits.DEFAULTS);
    }

    /** Returns the formats whose encoders are measured. */
    public static List<CodecFormat> writers() {
        return List.of(BINARY, XML, FAST_INFOSET_FRESH, FAST_INFOSET_RETAINED);
    }

    /** Returns the format with that label. */
    public static CodecFormat ofLabel(String label) {
        return Arrays.stream(values())
                .filter(format -> format.label.equals(label))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("format: %s (expected: one of %s)"
                        .formatted(
                                label,
                                Arrays.stream(values()).map(CodecFormat::label).toList())));
    }

    /** Returns the name in results. */
    public String label() {
        return label;
    }

    /** Creates a session for the messages of one direction. */
    CodecSession newSession() {
        return sessions.get();
    }

    /** Returns whether a session is used for more than one message. */
    boolean isRetained() {
        return retained;
    }
}
