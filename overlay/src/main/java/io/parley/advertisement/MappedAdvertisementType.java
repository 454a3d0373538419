package io.parley.advertisement;

import java.util.Objects;

/**
 * A type whose class is mapped to XML by Jackson, a child for each component of a record. What its documents can't do is keep
 * white space at the ends of texts, and attributes are best left alone. Components may be peer, group and pipe ids as well.
 *
 * <pre>{@code
 * public record Printer(PipeId pipe, String place, boolean colour) implements Advertisement {
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
 * <p>Children that the class doesn't know are ignored; a component that a document doesn't have is {@code null}, or zero,
 * which the class has to refuse if it can't do with it.
 *
 * @param <T> the class of the advertisements
 */
public class MappedAdvertisementType<T extends Advertisement> implements AdvertisementType<T> {
    private final String name;
    private final Class<T> advertisementClass;

    /**
     * A type of that name.
     *
     * @param name without a prefix, or with the prefix {@code jxta:}, the only one that documents declare
     * @throws IllegalArgumentException when it is no such name
     */
    public MappedAdvertisementType(String name, Class<T> advertisementClass) {
        XmlTextValidator.checkName(name);
        if (name.replaceFirst("^jxta:", "").contains(":")) {
            throw new IllegalArgumentException(
                    "name: " + TextSanitizer.of(name) + " (expected: no prefix, or the prefix jxta:)");
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
