package io.parley.json;

import io.parley.common.internal.TextSanitizer;
import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.message.Message;
import io.parley.message.MessageElement;
import io.parley.message.Payload;
import java.io.IOException;
import java.io.InputStream;
import java.util.Objects;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.exc.InvalidDefinitionException;
import tools.jackson.databind.json.JsonMapper;

/**
 * Reads and writes objects as JSON (RFC 8259), mapped by Jackson: a record, a number, a list. For messages whose content has a type instead
 * of named elements. Immutable and thread-safe. Public because applications call it:
 *
 * <pre>{@code
 * record Order(String item, int count) {}
 *
 * pipe.send(JsonObjects.DEFAULTS.toMessage(new Order("lamp", 2)));
 *
 * Order order = JsonObjects.DEFAULTS.read(received.message(), Order.class);
 * }</pre>
 *
 * <p>A document has the limits that a message has, and those of Jackson's parser for depth, names and numbers, whose time is linear in
 * the document's size. Properties that the type does not have are ignored, so that a newer sender can add one. A mapper of your
 * own must not enable polymorphic types by class name, because a sender would choose the class.
 */
public final class JsonObjects {

    /** The name of the element that has the object of {@link #toMessage}. */
    public static final String BODY = "body";

    /** The MIME type of the written elements. Any type is read. */
    public static final String TYPE = "application/json";

    /** The instance with the default mapper of Jackson. */
    public static final JsonObjects DEFAULTS = new JsonObjects(JsonMapper.shared());

    private final JsonMapper mapper;

    /** Creates an instance with a mapper, whose rules and limits apply. */
    public JsonObjects(JsonMapper mapper) {
        this.mapper = Objects.requireNonNull(mapper, "mapper");
    }

    /**
     * Returns a message with one element, named {@value #BODY}, that has the object.
     *
     * @throws io.parley.error.InvalidCallException {@link ErrorCode#NOT_ENCODABLE} if Jackson cannot map the object
     */
    public Message toMessage(Object object) {
        return Message.of(write(BODY, object));
    }

    /**
     * Returns the object of a message from {@link #toMessage}.
     *
     * @throws io.parley.error.PeerFaultException {@link ErrorCode#MALFORMED_MESSAGE} if the message has no element named {@value #BODY},
     *     or as {@link #read(MessageElement, Class)} throws
     * @throws IllegalArgumentException as {@link #read(MessageElement, Class)} throws
     */
    public <T> T read(Message message, Class<T> type) {
        return read(
                message.element(BODY)
                        .orElseThrow(() -> ErrorCode.MALFORMED_MESSAGE.exception(
                                "message: no element " + BODY + " (expected: one that contains JSON)")),
                type);
    }

    /**
     * Returns an element with an object.
     *
     * @throws io.parley.error.InvalidCallException {@link ErrorCode#NOT_ENCODABLE} if Jackson cannot map the object
     */
    public MessageElement write(String name, Object object) {
        Objects.requireNonNull(object, "object");
        try {
            return MessageElement.of("", name, TYPE, Payload.of(mapper.writeValueAsBytes(object)));
        } catch (JacksonException e) {
            throw fault(ErrorCode.NOT_ENCODABLE, object.getClass(), e);
        }
    }

    /**
     * Returns the object in an element. Reads a borrowed payload before it returns.
     *
     * @throws io.parley.error.PeerFaultException {@link ErrorCode#MALFORMED_MESSAGE} if the element is not one JSON document, exceeds a
     *     limit of the parser, is {@code null}, or cannot be mapped to the type
     * @throws IllegalArgumentException if Jackson cannot create objects of the type from any document
     */
    public <T> T read(MessageElement element, Class<T> type) {
        T object;
        try (InputStream document = element.openStream()) {
            object = mapper.readerFor(type)
                    .with(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
                    .readValue(document);
        } catch (InvalidDefinitionException e) {
            throw new IllegalArgumentException(
                    "type: " + type.getName() + " (expected: a type that Jackson can create)", e);
        } catch (JacksonException | IOException e) {
            throw fault(ErrorCode.MALFORMED_MESSAGE, type, e);
        }
        if (object == null) {
            throw ErrorCode.MALFORMED_MESSAGE.exception("JSON element: null (expected: " + type.getName() + ")");
        }
        return object;
    }

    /** The message of Jackson may quote what a remote peer has sent. */
    private static ParleyException fault(ErrorCode code, Class<?> type, Exception thrown) {
        String reason =
                thrown instanceof JacksonException e ? e.getOriginalMessage() : String.valueOf(thrown.getMessage());
        return code.exception(
                "JSON element: " + type.getName() + ": " + TextSanitizer.oneLine(reason),
                TextSanitizer.printable(thrown));
    }
}
