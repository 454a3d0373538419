package io.parley.advertisement;

import io.parley.common.internal.TextSanitizer;
import java.util.Objects;

/**
 * A type whose class Jackson maps to XML, with one child per record component. Documents do not preserve white space at the
 * ends of texts. XML attributes should not be used. Components may be peer, group and pipe ids.
 *
 * <pre>{@code
 * public record Printer(PipeId pipe, String place, boolean color) implements Advertisement {
 *     public String type() { return "Printer"; }
 *     public String key() { return pipe.text(); }
 *     public List<AdvertisementAttribute> attributes() {
 *         return List.of(new AdvertisementAttribute("place", place));
 *     }
 * }
 *
 * public final class PrinterType extends MappedAdvertisementType<Printer> {
 *     public PrinterType() { super("Printer", Printer.class); }
 * }
 * }</pre>
 *
 * <p>Unknown children are ignored. A component whose child is missing is {@code null} or zero; the class must reject it if the
 * component is required.
 *
 * @param <T> the class of the advertisements
 */
public class MappedAdvertisementType<T extends Advertisement> implements AdvertisementType<T> {
    private final String name;
    private final Class<T> advertisementClass;

    /**
     * Creates a type.
     *
     * @param name without a prefix, or with the prefix {@code jxta:}, the only one that documents declare
     * @throws IllegalArgumentException if the name is invalid
     */
    public MappedAdvertisementType(String name, Class<T> advertisementClass) {
        XmlTextValidator.checkName(name);
        if (name.replaceFirst("^jxta:", "").contains(":")) {
            throw new IllegalArgumentException(
                    "name: " + TextSanitizer.quote(name) + " (expected: no prefix, or the prefix jxta:)");
        }
        this.name = name;
        this.advertisementClass = Objects.requireNonNull(advertisementClass, "advertisementClass");
    }

    @Override
    public final String name() {
        return name;
    }

    @Override
    public final Class<T> advertisementClass() {
        return advertisementClass;
    }

    @Override
    public final T read(XmlElement document) {
        return XmlObjectMapper.read(document, advertisementClass);
    }

    @Override
    public final XmlElement write(T advertisement) {
        return XmlObjectMapper.write(advertisement).withName(name);
    }
}
