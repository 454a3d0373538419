package io.parley.examples.publish;

import io.parley.advertisement.Advertisement;
import io.parley.advertisement.AdvertisementCodec;
import io.parley.advertisement.AdvertisementId;
import io.parley.advertisement.AdvertisementLimits;
import io.parley.advertisement.OpaqueAdvertisement;
import io.parley.error.ParleyException;
import io.parley.examples.console.CommandFailedException;
import io.parley.id.GroupId;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.TreeSet;

/** An advertisement that was read from an XML document. */
public record AdvertisementFile(Path file, Advertisement advertisement) {

    /**
     * Reads a document, and checks that it can be published in a group.
     *
     * @throws CommandFailedException if the document is invalid, its type is unknown, or it belongs to another group
     * @throws FileSystemException if the file cannot be opened
     */
    public static AdvertisementFile read(Path file, GroupId group) throws FileSystemException {
        if (Files.isDirectory(file)) {
            throw new CommandFailedException(file + " is a directory. Use a file that contains an XML document.");
        }
        AdvertisementLimits limits = AdvertisementLimits.DEFAULTS;
        AdvertisementCodec codec = AdvertisementCodec.installed(limits);
        Advertisement advertisement;
        try (InputStream in = Files.newInputStream(file)) {
            // One byte more than the limit, so that the codec rejects a file that is too long.
            advertisement = codec.decode(in.readNBytes(limits.maxDocumentBytes() + 1));
        } catch (ParleyException e) {
            throw new CommandFailedException(
                    file + " is not an advertisement: " + e.getMessage() + ". Correct the document.", e);
        } catch (FileSystemException e) {
            throw e; // contains the path
        } catch (IOException e) {
            throw new CommandFailedException("Cannot read " + file + ": " + e.getMessage() + ".", e);
        }
        if (advertisement instanceof OpaqueAdvertisement) {
            throw new CommandFailedException(file + ": the type " + advertisement.type() + " is unknown. Use one of: "
                    + String.join(", ", new TreeSet<>(codec.typeNames())) + ".");
        }
        requireGroup(file, advertisement, AdvertisementId.of(group));
        return new AdvertisementFile(file, advertisement);
    }

    private static void requireGroup(Path file, Advertisement advertisement, AdvertisementId group) {
        AdvertisementId own = advertisement.group().orElse(group);
        if (!own.equals(group)) {
            throw new CommandFailedException(file + ": the " + advertisement.type() + " belongs to the group " + own
                    + " (expected: " + group + "). Publish it in its group, or correct the document.");
        }
    }
}
