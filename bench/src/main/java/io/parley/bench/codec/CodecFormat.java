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

/** A codec, and how long its sessions last. */
public enum CodecFormat {
    /** JXTA's binary format. */
    BINARY("binary", session(MessageCodec.binary()), true),
    /** JXTA's XML format as text. */
    XML("xml", session(new XmlMessageCodec()), true),
    /** The same text, read with a loop over Aalto's events that checks nothing. */
    XML_AALTO("xml-aalto", () -> new StaxSession(new InputFactoryImpl()), true),
    /** The same text, read with a loop over Woodstox's events that checks nothing. */
    XML_WOODSTOX("xml-woodstox", () -> new StaxSession(new WstxInputFactory()), true),
    /** Fast Infoset, with a new session for each message: what a message costs that comes alone. */
    FAST_INFOSET_FRESH("fastinfoset-fresh", session(new FastInfosetMessageCodec()), false),
    /** Fast Infoset, with a session for all messages of a conversation. */
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

    /** Those that write messages of their own. */
    public static List<CodecFormat> writers() {
        return List.of(BINARY, XML, FAST_INFOSET_FRESH, FAST_INFOSET_RETAINED);
    }

    /** The one of that label. */
    public static CodecFormat labelled(String label) {
        return Arrays.stream(values())
                .filter(format -> format.label.equals(label))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("format: %s (expected: one of %s)"
                        .formatted(
                                label,
                                Arrays.stream(values()).map(CodecFormat::label).toList())));
    }

    /** The word for it in results. */
    public String label() {
        return label;
    }

    /** A session for the messages of one direction. */
    CodecSession newSession() {
        return sessions.get();
    }

    /** Whether a session lasts from message to message. */
    boolean isRetained() {
        return retained;
    }
}
