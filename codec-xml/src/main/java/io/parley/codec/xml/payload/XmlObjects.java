package io.parley.codec.xml.payload;

import com.ctc.wstx.stax.WstxInputFactory;
import com.ctc.wstx.stax.WstxOutputFactory;
import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.message.MessageElement;
import java.io.IOException;
import java.util.Objects;
import javax.xml.stream.XMLInputFactory;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamReader;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.exc.InvalidDefinitionException;
import tools.jackson.dataformat.xml.XmlFactory;
import tools.jackson.dataformat.xml.XmlMapper;

/**
 * Elements as objects that Jackson maps to XML and back, in either form. Immutable and usable from any thread.
 *
 * <pre>{@code
 * record Weather(String place, double celsius) {}
 *
 * MessageElement element = XmlObjects.DEFAULTS.write("weather", XmlForm.TEXT, new Weather("Basel", 21.5));
 * Weather weather = XmlObjects.DEFAULTS.read(element, Weather.class);
 * }</pre>
 */
public final class XmlObjects {
    /** Objects by a mapper as Jackson sets it up, within {@link XmlLimits#DEFAULTS}. */
    public static final XmlObjects DEFAULTS = new XmlObjects(XmlStreams.DEFAULTS, defaultMapper());

    private final XmlStreams streams;
    private final XmlMapper mapper;

    /**
     * Objects by a mapper of one's own. Its parser and its limits aren't used, since it reads from those streams; but what
     * it makes of what it reads is its own matter: leave polymorphic types by class name off.
     */
    public XmlObjects(XmlStreams streams, XmlMapper mapper) {
        this.streams = Objects.requireNonNull(streams, "streams");
        this.mapper = Objects.requireNonNull(mapper, "mapper");
    }

    /**
     * The object that the element holds.
     *
     * @throws io.parley.error.PeerFaultException MALFORMED_MESSAGE when the document can't be mapped to the type, or as
     *     {@link XmlStreams#read}; LIMIT_EXCEEDED
     * @throws IllegalArgumentException when Jackson can't make objects of that type, whatever the document
     */
    public <T> T read(MessageElement element, Class<T> type) {
        try {
            XMLStreamReader reader = streams.read(element);
            reader.nextTag();
            T object = mapper.readValue(reader, type);
            while (reader.hasNext()) {
                reader.next(); // what comes behind the root may be malformed, too
            }
            return object;
        } catch (InvalidDefinitionException e) {
            throw new IllegalArgumentException(
                    "type: " + type.getName() + " (expected: one that Jackson knows to make)", e);
        } catch (JacksonException | XMLStreamException | IOException e) {
            throw fault(ErrorCode.MALFORMED_MESSAGE, type, e);
        }
    }

    /**
     * An element with that object.
     *
     * @throws io.parley.error.InvalidCallException NOT_ENCODABLE when Jackson can't map the object; MESSAGE_TOO_LARGE when
     *     the document goes beyond the limits
     */
    public MessageElement write(String name, XmlForm form, Object object) {
        return streams.write(name, form, writer -> {
            try {
                mapper.writeValue(new NamespaceDeclarer(writer), object);
            } catch (JacksonException | IOException e) {
                throw fault(ErrorCode.NOT_ENCODABLE, object.getClass(), e);
            }
        });
    }

    /** What our own streams threw goes through Jackson, which may have wrapped it. */
    private static ParleyException fault(ErrorCode code, Class<?> type, Exception thrown) {
        for (Throwable cause = thrown; cause != null; cause = cause.getCause()) {
            if (cause instanceof ParleyException told) {
                return told;
            }
        }
        return code.exception("XML element: " + type.getName() + ": " + thrown.getMessage(), thrown);
    }

    private static XmlMapper defaultMapper() {
        // Never used to parse, since streams come from elsewhere; yet a mapper shouldn't look for parsers on the class
        // path.
        WstxInputFactory input = new WstxInputFactory();
        input.setProperty(XMLInputFactory.SUPPORT_DTD, false);
        input.setProperty(XMLInputFactory.IS_SUPPORTING_EXTERNAL_ENTITIES, false);
        return new XmlMapper(XmlFactory.builder()
                .xmlInputFactory(input)
                .xmlOutputFactory(new WstxOutputFactory())
                .build());
    }
}
