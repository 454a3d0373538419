package io.parley.advertisement;

import java.util.function.Function;

/**
 * Converts one type of advertisement to documents and back. A service provider interface:
 * {@link AdvertisementCodec#installed} finds classes with a public constructor without parameters that are named in
 * {@code META-INF/services/io.parley.advertisement.AdvertisementType}. Implementations must be thread-safe.
 *
 * <p>{@link MappedAdvertisementType} is sufficient for most types.
 * <p>For most types {@link MappedAdvertisementType} does all the work.
 *
 * @param <T> the class of the advertisements
 */
public interface AdvertisementType<T extends Advertisement> {
    /** Returns the name of the root element, such as {@code jxta:PipeAdvertisement}. It must never change. */
    String name();

    /** Returns the class that {@link #read} returns and {@link #write} accepts; each type must have a class of its own. */
    Class<T> advertisementClass();

    /**
     * Decodes an untrusted document. Unknown children must be ignored, because a later version may add children.
     *
     * @throws IllegalArgumentException if content is missing or invalid; the message must name the child
     */
    T read(XmlElement document);

    /** Encodes an advertisement. {@link #read} must decode the document to an equal advertisement. */
    XmlElement write(T advertisement);

    /** Returns a type of two functions, which must implement {@link #read} and {@link #write}. */
    static <T extends Advertisement> AdvertisementType<T> of(
            String name, Class<T> advertisementClass, Function<XmlElement, T> reader, Function<T, XmlElement> writer) {
        record FunctionalType<U extends Advertisement>(
                String name,
                Class<U> advertisementClass,
                Function<XmlElement, U> reader,
                Function<U, XmlElement> writer)
                implements AdvertisementType<U> {
            @Override
            public U read(XmlElement document) {
                return reader.apply(document);
            }

            @Override
            public XmlElement write(U advertisement) {
                return writer.apply(advertisement);
            }
        }
        return new FunctionalType<>(name, advertisementClass, reader, writer);
    }
}
