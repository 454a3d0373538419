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
 * Reads and writes elements as objects that Jackson maps to XML, in either form. Immutable and thread-safe.
 *
 * <pre>{@code
 * record Weather(String place, double celsius) {}
 *
 * MessageElement element = XmlObjects.DEFAULTS.write("weather", XmlForm.TEXT, new Weather("Basel", 21.5));
 * Weather weather = XmlObjects.DEFAULTS.read(element, Weather.class);
 * }</pre>
 */
public final class XmlObjects {
    /** The instance with the default mapper of Jackson and {@link XmlLimits#DEFAULTS}. */
    public static final XmlObjects DEFAULTS = new XmlObjects(XmlStreams.DEFAULTS, defaultMapper());

    private final XmlStreams streams;
    private final XmlMapper mapper;

    /**
     * Creates an instance with a given mapper. The parser and the limits of the mapper are not used, because it reads
     * from {@code streams}. Its mapping rules do apply: polymorphic types by class name must stay disabled, because
     * documents may come from untrusted peers.
     */
    public XmlObjects(XmlStreams streams, XmlMapper mapper) {
        this.streams = Objects.requireNonNull(streams, "streams").withNodesLimited();
        this.mapper = Objects.requireNonNull(mapper, "mapper");
    }

    /**
     * Returns the object in an element.
     *
     * @throws io.parley.error.PeerFaultException MALFORMED_MESSAGE if the document cannot be mapped to the type;
     *     MALFORMED_MESSAGE or LIMIT_EXCEEDED under the conditions of {@link XmlStreams#read}
     * @throws IllegalArgumentException if Jackson cannot create objects of the type from any document
     */
    public <T> T read(MessageElement element, Class<T> type) {
        try {
            XMLStreamReader reader = streams.read(element);
            reader.nextTag();
            T object = mapper.readValue(reader, type);
            while (reader.hasNext()) {
                reader.next(); // content after the root may be malformed, too
            }
            return object;
        } catch (InvalidDefinitionException e) {
            throw new IllegalArgumentException(
                    "type: " + type.getName() + " (expected: a type that Jackson can create)", e);
        } catch (JacksonException | XMLStreamException | IOException e) {
            throw fault(ErrorCode.MALFORMED_MESSAGE, type, e);
        }
    }

    /**
     * Returns an element with an object.
     *
     * @throws io.parley.error.InvalidCallException NOT_ENCODABLE if Jackson cannot map the object; MESSAGE_TOO_LARGE if
     *     the document exceeds a limit
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

    /** Returns the exception of the streams, which Jackson may have wrapped, or a new one for an error of Jackson. */
    private static ParleyException fault(ErrorCode code, Class<?> type, Exception thrown) {
        for (Throwable cause = thrown; cause != null; cause = cause.getCause()) {
            if (cause instanceof ParleyException fault) {
                return fault;
            }
        }
        return code.exception("XML element: " + type.getName() + ": " + thrown.getMessage(), thrown);
    }

    private static XmlMapper defaultMapper() {
        // These factories are not used, because the streams are given. They keep the mapper from searching the class
        // path for parsers.
        WstxInputFactory input = new WstxInputFactory();
        input.setProperty(XMLInputFactory.SUPPORT_DTD, false);
        input.setProperty(XMLInputFactory.IS_SUPPORTING_EXTERNAL_ENTITIES, false);
        return new XmlMapper(XmlFactory.builder()
                .xmlInputFactory(input)
                .xmlOutputFactory(new WstxOutputFactory())
                .build());
    }
}
