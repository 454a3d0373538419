package io.parley.advertisement;

import com.ctc.wstx.stax.WstxInputFactory;
import com.ctc.wstx.stax.WstxOutputFactory;
import com.fasterxml.jackson.annotation.JsonInclude;
import io.parley.id.GroupId;
import io.parley.id.Id;
import io.parley.id.PeerId;
import io.parley.id.PipeId;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Function;
import javax.xml.stream.XMLInputFactory;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.JsonParser;
import tools.jackson.databind.DeserializationContext;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.SerializationContext;
import tools.jackson.databind.deser.std.StdScalarDeserializer;
import tools.jackson.databind.module.SimpleModule;
import tools.jackson.databind.ser.std.StdScalarSerializer;
import tools.jackson.databind.ser.std.ToStringSerializer;
import tools.jackson.dataformat.xml.XmlFactory;
import tools.jackson.dataformat.xml.XmlMapper;

/** Maps objects of user-defined classes to elements and back, with one shared mapper, which caches the mapping of each class. */
final class XmlObjectMapper {
    private static final XmlMapper MAPPER = mapper();

    /** Reads the output of the mapper, which is trusted; the limits of the caller are checked afterwards. */
    private static final AdvertisementXmlReader READER = new AdvertisementXmlReader(new AdvertisementLimits(
            16 << 20, 1_000_000, 256, 1000, 0, 1, Duration.ofMillis(1), Duration.ofMillis(1), Duration.ZERO));

    /** Replaces the name of the root: the mapper splits names at the colon, and rejects a root with an undeclared prefix. */
    private static final String ROOT = "advertisement";

    private XmlObjectMapper() {}

    /**
     * Maps an element to an object.
     *
     * @throws IllegalArgumentException if the element does not match the class
     */
    static <T> T read(XmlElement element, Class<T> type) {
        try {
            return MAPPER.readValue(AdvertisementXmlWriter.writeForMapping(element.withName(ROOT)), type);
        } catch (JacksonException e) {
            throw new IllegalArgumentException(String.valueOf(e.getOriginalMessage()), e);
        }
    }

    /**
     * Maps an object to an element.
     *
     * @throws IllegalArgumentException if the class cannot be mapped
     */
    static XmlElement write(Object object) {
        try {
            return READER.read(MAPPER.writeValueAsBytes(object));
        } catch (JacksonException e) {
            throw new IllegalArgumentException(
                    object.getClass().getName() + ": " + e.getOriginalMessage()
                            + " (expected: a class that Jackson can map)",
                    e);
        }
    }

    private static XmlMapper mapper() {
        // Instantiated by name, so that no other parser on the class path is used. The input comes from our own writer.
        WstxInputFactory input = new WstxInputFactory();
        input.setProperty(XMLInputFactory.SUPPORT_DTD, false);
        input.setProperty(XMLInputFactory.IS_SUPPORTING_EXTERNAL_ENTITIES, false);
        XmlFactory factory = XmlFactory.builder()
                .xmlInputFactory(input)
                .xmlOutputFactory(new WstxOutputFactory())
                .build();
        return XmlMapper.builder(factory)
                .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
                .changeDefaultPropertyInclusion(inclusion -> inclusion.withValueInclusion(JsonInclude.Include.NON_NULL))
                .addModule(ids())
                .build();
    }

    private static SimpleModule ids() {
        SimpleModule ids = new SimpleModule("ids");
        ids.addSerializer(AdvertisementId.class, new ToStringSerializer(AdvertisementId.class));
        ids.addDeserializer(AdvertisementId.class, new IdDeserializer<>(AdvertisementId.class, Optional::of));
        add(ids, PeerId.class, AdvertisementId::peerId);
        add(ids, GroupId.class, AdvertisementId::groupId);
        add(ids, PipeId.class, AdvertisementId::pipeId);
        return ids;
    }

    private static <T extends Id> void add(
            SimpleModule ids, Class<T> type, Function<AdvertisementId, Optional<T>> toId) {
        ids.addSerializer(type, new IdSerializer<>(type));
        ids.addDeserializer(type, new IdDeserializer<>(type, toId));
    }

    /** Serializes ids in user-defined classes in their canonical form. */
    private static final class IdSerializer<T extends Id> extends StdScalarSerializer<T> {
        IdSerializer(Class<T> type) {
            super(type);
        }

        @Override
        public void serialize(T id, JsonGenerator out, SerializationContext context) {
            out.writeString(AdvertisementId.of(id).urn());
        }
    }

    /** Deserializes ids in user-defined classes from any of their spellings. */
    private static final class IdDeserializer<T> extends StdScalarDeserializer<T> {
        private final transient Function<AdvertisementId, Optional<T>> toId;

        IdDeserializer(Class<T> type, Function<AdvertisementId, Optional<T>> toId) {
            super(type);
            this.toId = toId;
        }

        @Override
        public T deserialize(JsonParser parser, DeserializationContext context) {
            AdvertisementId id = new AdvertisementId(parser.getValueAsString(""));
            return toId.apply(id)
                    .orElseThrow(() -> new IllegalArgumentException(
                            id + " (expected: a " + handledType().getSimpleName() + ")"));
        }
    }
}
