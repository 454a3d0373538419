/** Message elements that contain objects in JSON, mapped by Jackson. */
@NullMarked
package io.parley.json;

import org.jspecify.annotations.NullMarked;
