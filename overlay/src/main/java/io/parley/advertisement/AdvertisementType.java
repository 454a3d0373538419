package io.parley.advertisement;

import java.util.function.Function;

/**
 * How one type of advertisement becomes a document and back. A service provider interface: a class with a public
 * constructor without parameters that is named in {@code META-INF/services/io.parley.advertisement.AdvertisementType} is
 * found by {@link AdvertisementTypeRegistry#installed()}. Implementations may be called from any thread, several at once.
 *
 * <p>For most types {@link MappedAdvertisementType} does all the work.
 *
 * @param <T> the class of the advertisements
 */
public interface AdvertisementType<T extends Advertisement> {
    /** The name of the document's root element, such as {@code jxta:PipeAdvertisement}. It never changes. */
    String name();

    /** The class that {@link #read} returns and {@link #write} takes; no two types have the same. */
    Class<T> advertisementClass();

    /**
     * Makes an advertisement of a document, which anybody may have written. Children that are unknown are to be ignored, since
     * a later version may have more of them.
     *
     * @throws IllegalArgumentException when something is missing or wrong; the message names the child
     */
    T read(XmlElement document);

    /** The document of an advertisement, so that {@link #read} makes an equal advertisement of it. */
    XmlElement write(T advertisement);

    /** A type that is made of two functions, as {@link #read} and {@link #write} are described. */
    static <T extends Advertisement> AdvertisementType<T> of(
            String name, Class<T> advertisementClass, Function<XmlElement, T> reader, Function<T, XmlElement> writer) {
        return new FunctionalAdvertisementType<>(name, advertisementClass, reader, writer);
    }
}
