// A form for a JSON Schema.
// The index of the package also exports a registry for tests, which needs a validator that generates code.
import Form from "@rjsf/core/lib/components/Form.js";
import {
  canExpand,
  type FieldTemplateProps,
  getTemplate,
  type IconButtonProps,
  type ObjectFieldTemplateProps,
  type RJSFSchema,
  type TitleFieldProps,
  type UiSchema,
} from "@rjsf/utils";
import { ArrowDown, ArrowUp, Plus, Trash2 } from "lucide-react";
import type { ComponentType, ReactNode } from "react";
import { formValidator } from "./form-validator.ts";

export interface SchemaFormProps {
  /** Makes ids unique if a page shows several forms. */
  readonly id: string;
  readonly schema: RJSFSchema;
  readonly value: unknown;
  readonly onChange: (value: unknown) => void;
  readonly onSubmit: (value: unknown) => void;
  /** The buttons below the fields. */
  readonly children: ReactNode;
}

export function SchemaForm({ id, schema, value, onChange, onSubmit, children }: SchemaFormProps) {
  return (
    <Form
      className="schema-form"
      idPrefix={id}
      schema={withoutDialect(schema)}
      uiSchema={toUiSchema(schema)}
      formData={value}
      validator={formValidator}
      templates={templates}
      noHtml5Validate
      showErrorList={false}
      focusOnFirstError
      onChange={({ formData }) => onChange(formData)}
      onSubmit={({ formData }) => onSubmit(formData ?? {})}
    >
      {children}
    </Form>
  );
}

/** The form reads every dialect in the same way. */
function withoutDialect({ $schema, ...schema }: RJSFSchema): RJSFSchema {
  return schema;
}

/** Lists of different choices are checkboxes: a list box needs a modifier key to select several. */
function toUiSchema({ properties = {} }: RJSFSchema): UiSchema {
  const lists = Object.entries(properties).filter(([, member]) => typeof member === "object" && member.uniqueItems);
  return {
    ...Object.fromEntries(lists.map(([name]) => [name, { "ui:widget": "checkboxes" }])),
    "ui:submitButtonOptions": { norender: true },
  };
}

function FieldTemplate(props: FieldTemplateProps) {
  const { id, label, children, rawErrors = [], rawDescription, required, hidden, displayLabel, schema } = props;
  if (hidden) return <div hidden>{children}</div>;
  const isCheckbox = schema.type === "boolean";
  const isGroup = schema.type === "array";
  // Adds a field for the name of a member that the schema does not name.
  const WrapIfAdditional = getTemplate("WrapIfAdditionalTemplate", props.registry);
  const name = (
    <>
      {label}
      {required && <span className="muted"> required</span>}
    </>
  );
  const hint = displayLabel && rawDescription && !isCheckbox && (
    <p className="field-hint" id={`${id}__description`}>
      {rawDescription}
    </p>
  );
  return (
    <WrapIfAdditional {...props} classNames="field">
      {displayLabel && isGroup ? (
        <fieldset>
          <legend>{name}</legend>
          {hint}
          {children}
        </fieldset>
      ) : (
        <>
          {displayLabel && !isCheckbox && <label htmlFor={id}>{name}</label>}
          {hint}
          {children}
        </>
      )}
      {rawErrors.map((error) => (
        <p key={error} className="field-error" id={`${id}__error`}>
          {error}
        </p>
      ))}
    </WrapIfAdditional>
  );
}

function TitleFieldTemplate({ id, title, required }: TitleFieldProps) {
  return (
    <legend id={id}>
      {title}
      {required && <span className="muted"> required</span>}
    </legend>
  );
}

function ObjectFieldTemplate(props: ObjectFieldTemplateProps) {
  const { title, description, properties, fieldPathId, schema, formData, onAddProperty } = props;
  const isRoot = fieldPathId.path.length === 0;
  const fields = (
    <>
      {properties.map(({ content }) => content)}
      {canExpand(schema, props.uiSchema, formData) && <AddButton onClick={onAddProperty} registry={props.registry} />}
    </>
  );
  if (isRoot) return <div className="fields">{fields}</div>;
  return (
    <fieldset>
      {title && <legend>{title}</legend>}
      {description && <p className="field-hint">{description}</p>}
      <div className="fields">{fields}</div>
    </fieldset>
  );
}

function iconButton(Icon: ComponentType<{ size?: number }>, name: string) {
  return function ListButton({ onClick, disabled, id }: IconButtonProps) {
    return (
      <button
        type="button"
        id={id}
        className="icon-button"
        aria-label={name}
        title={name}
        disabled={disabled}
        onClick={onClick}
      >
        <Icon size={16} />
      </button>
    );
  };
}

function AddButton({ onClick, disabled }: IconButtonProps) {
  return (
    <button type="button" className="button button-small" disabled={disabled} onClick={onClick}>
      <Plus size={14} aria-hidden="true" /> Add
    </button>
  );
}

const templates = {
  FieldTemplate,
  ObjectFieldTemplate,
  TitleFieldTemplate,
  ButtonTemplates: {
    AddButton,
    RemoveButton: iconButton(Trash2, "Remove"),
    MoveUpButton: iconButton(ArrowUp, "Move up"),
    MoveDownButton: iconButton(ArrowDown, "Move down"),
  },
};
