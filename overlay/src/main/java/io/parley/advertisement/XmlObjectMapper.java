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
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.module.SimpleModule;
import tools.jackson.databind.ser.std.ToStringSerializer;
import tools.jackson.dataformat.xml.XmlFactory;
import tools.jackson.dataformat.xml.XmlMapper;

/** Classes of users as elements. One mapper for all: it is safe to be shared, and knows a class after its first use. */
final class XmlObjectMapper {
    private static final XmlMapper MAPPER = mapper();

    /** For what the mapper writes, which is our own; the caller's limits are looked at afterwards. */
    private static final AdvertisementXmlReader READER = new AdvertisementXmlReader(new AdvertisementLimits(
            16 << 20, 1_000_000, 256, 1000, 0, 1, Duration.ofMillis(1), Duration.ofMillis(1), Duration.ZERO));

    /** The mapper takes names apart at the colon, and a root whose prefix is declared nowhere is malformed to it. */
    private static final String ROOT = "advertisement";

    private XmlObjectMapper() {}

    /**
     * The object in an element.
     *
     * @throws IllegalArgumentException when the element is not what the class is mapped to
     */
    static <T> T read(XmlElement element, Class<T> type) {
        try {
            return MAPPER.readValue(AdvertisementXmlWriter.writeForMapping(element.withName(ROOT)), type);
        } catch (JacksonException e) {
            throw new IllegalArgumentException(String.valueOf(e.getOriginalMessage()), e);
        }
    }

    /**
     * The element of an object.
     *
     * @throws IllegalArgumentException when the class can't be mapped
     */
    static XmlElement write(Object object) {
        try {
            return READER.read(MAPPER.writeValueAsBytes(object));
        } catch (JacksonException e) {
            throw new IllegalArgumentException(
                    object.getClass().getName() + ": " + e.getOriginalMessage()
                            + " (expected: one that Jackson can map)",
                    e);
        }
    }

    private static XmlMapper mapper() {
        // Named, so that no other parser on the class path is taken. Documents come from our own writer anyway.
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
}
